import { buildInscribe, taprootScriptOf } from '@ordbook/bitcoin/inscribe.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import { FAUCET_KEY } from '@ordbook/devnet/regtest.ts'
import { importAs, type TestMarket } from './market.ts'

/** Creates a coin with two inscriptions, in separate collections. Default: both on its first sat. Returns their ids. */
export async function inscribeTogether(
  market: TestMarket,
  script: Uint8Array,
  slugs: readonly [string, string],
  offsets: readonly [number, number] = [0, 0],
): Promise<[string, string]> {
  const coin = await market.regtest.fund(taprootScriptOf(FAUCET_KEY), 200_000)
  const pieces = slugs.map((slug, n) => ({
    contentType: 'text/plain',
    body: new TextEncoder().encode(slug),
    pointer: offsets[n]!,
  }))
  const { commit, reveal } = buildInscribe(coin, pieces, {
    privateKey: FAUCET_KEY,
    feeRateSatVb: 2,
    outputs: [{ valueSats: 10_000, script }],
  })
  await market.regtest.mineExactly([commit, reveal])
  await market.server.sync()
  const ids: [string, string] = [`${txidOf(reveal)}i0`, `${txidOf(reveal)}i1`]
  for (const [n, slug] of slugs.entries()) await importAs(market, slug, [ids[n]!])
  return ids
}
