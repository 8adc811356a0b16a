import type { NewInscription } from '@ordbook/bitcoin/envelope.ts'
import { buildInscribe, taprootScriptOf } from '@ordbook/bitcoin/inscribe.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import type { TestMarket } from './market.ts'

const KEY = new Uint8Array(32).fill(5)
const text = (body: string, more: Partial<NewInscription> = {}): NewInscription => ({
  contentType: 'text/plain',
  body: new TextEncoder().encode(body),
  ...more,
})

/** Inscribes a parent, and children that spend it and belong to `owner`. `add` inscribes further children. */
export async function createFamily(
  { regtest }: Pick<TestMarket, 'regtest'>,
  owner: Uint8Array,
  count: number,
) {
  const script = taprootScriptOf(KEY)
  const [parentId] = await regtest.inscribe([
    { inscription: text('parent'), owner: script, postageSats: 10_000 },
  ])
  let parent = { txid: parentId!.slice(0, 64), vout: 0, valueSats: 10_000, script }
  const children: string[] = []
  const add = async (n: number, more: Partial<NewInscription> = {}) => {
    const coin = await regtest.fund(script, 50_000)
    const { commit, reveal } = buildInscribe(coin, [text(`child ${n}`, { parents: [parentId!], ...more })], {
      privateKey: KEY,
      feeRateSatVb: 2,
      extraInputs: [parent],
      // The child's output comes first, because its sat is in the first input.
      outputs: [
        { valueSats: 10_000, script: owner },
        { valueSats: 10_000, script },
      ],
    })
    await regtest.mineExactly([commit, reveal])
    parent = { txid: txidOf(reveal), vout: 1, valueSats: 10_000, script }
    children.push(`${txidOf(reveal)}i0`)
  }
  for (let n = 0; n < count; n++) await add(n)
  return { parentId: parentId!, children, add }
}
