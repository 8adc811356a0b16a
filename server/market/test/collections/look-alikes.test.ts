import { expect, it } from 'vitest'
import { setUpMarket } from '../../../../e2e/support/market.ts'
import { visit } from '../../../../e2e/support/storefront.ts'

const market = setUpMarket()

const skeletonOf = async (name: string): Promise<string> => {
  const [row] = await market.sql<{ skeleton: string }[]>`select name_skeleton(${name}) as skeleton`
  return row!.skeleton
}

it.each([
  ['Bitcoin Birds', 'bitcoin  BIRDS'],
  ['Bitcoin Birds', 'Вitсоin Вirds'],
  ['Bitcoin Birds', 'Bitc0in B1rds'],
  ['Bitcoin Birds', 'Βιtcοιn Βιrds'],
  ['Bitcoin Birds', 'Bıtcoín Bírds'],
  ['Bitcoin Birds', 'Bitcoin\u200b Bi\u00adrds\u2060'],
  ['Bitcoin Birds', '\u202eBitcoin Birds\u202c'],
  ['Bitcoin Birds', 'Ｂｉｔｃｏｉｎ　Ｂｉｒｄｓ'],
  ['Bitcoin Birds', '𝐁𝐢𝐭𝐜𝐨𝐢𝐧 𝓑𝓲𝓻𝓭𝓼'],
  ['Bitcoin Birds', '₿itcoin-Birds.'],
  ['Bitcoin Birds', 'Bitcoin B!rds'],
  ['Bitcoin Birds', '🅱itcoin Birds\u{e0041}'],
  ['Bitcoin Bosses', 'Bitcoin Bo$$es'],
  ['Lamp Keepers', 'Larnp Keepers'],
  ['Wall St Bulls', 'VVall St Bulls'],
  ['OCM Dimensions', 'ОСМ Dіmensіons'],
  ['Pepe', 'РЕРЕ'],
  ['NodeMonkes', 'ɴᴏᴅᴇᴍᴏɴᴋᴇs'],
])('name_skeleton is equal for %s and %s', async (name, other) => {
  expect(await skeletonOf(other)).toBe(await skeletonOf(name))
})

it.each([
  ['Bitcoin Birds', 'Bitcoin Bards'],
  ['Season 1', 'Season 2'],
  ['Block 6', 'Block 8'],
  ['Series 10', 'Series 11'],
  ['鳥', '猫'],
  ['🌾', '🍓'],
  ['Птицы', 'Кошки'],
])('name_skeleton differs for %s and %s', async (name, other) => {
  expect(await skeletonOf(other)).not.toBe(await skeletonOf(name))
})

it('returns the verified collection as sameNameAs', async () => {
  const seller = await market.trader()
  const slugs = []
  for (let n = 0; n < 4; n++) slugs.push((await market.collection(seller.wallet, 1)).slug)
  const [real, fake, other, blank] = slugs
  const rename = (slug: string, name: string) =>
    market.sql`update collections set name = ${name} where slug = ${slug}`
  await rename(real!, 'Harbour Lamps')
  await rename(fake!, 'Наrbour Lаmps')
  await rename(blank!, '\u200b')
  const read = async (path: string) => (await visit(market.server.url, `/web/v1${path}`)).body
  const sameNames = async () => {
    const { collections } = await read('/collections')
    return Object.fromEntries(
      collections.map((each: { slug: string; sameNameAs: unknown }) => [each.slug, each.sameNameAs]),
    )
  }
  expect(await sameNames()).toEqual({ [real!]: null, [fake!]: null, [other!]: null, [blank!]: null })
  await market.sql`update collections set verification_status = 'verified' where slug = ${real!}`
  const verified = { slug: real, name: 'Harbour Lamps' }
  await expect.poll(sameNames).toEqual({
    [real!]: null,
    [fake!]: verified,
    [other!]: null,
    [blank!]: null,
  })
  expect((await read(`/collections/${fake}`)).sameNameAs).toEqual(verified)
  const found = await read(`/search?q=${encodeURIComponent('Наrbour')}`)
  expect(found.collections).toMatchObject([{ slug: fake, sameNameAs: verified }])
})
