import { WalletRefused } from '../errors.ts'
import { listIn, objectIn, textIn } from './answers.ts'
import type { Provider } from './provider.ts'

const PAGE = 100
/** Most inscriptions that are read. */
const MOST = 10_000

const OUTPOINT = /^[0-9a-f]{64}:\d{1,10}$/

/**
 * The coins with inscriptions at the address of the wallet's current account, by the wallet's own index: an inscription for each
 * `txid:vout`. Null if the wallet is on another account, or does not list all. Throws WalletRefused.
 */
export async function listInscriptions(
  provider: Provider,
  address: string,
): Promise<ReadonlyMap<string, string> | null> {
  const isCurrent = async () => listIn(await provider.call('getAccounts'), 'the accounts')[0] === address
  if (!(await isCurrent())) return null
  const coins = new Map<string, string>()
  const ids = new Set<string>()
  for (let cursor = 0, first: number | null = null; cursor < MOST; ) {
    const { total, list } = objectIn(
      await provider.call('getInscriptions', cursor, PAGE),
      'the answer to getInscriptions',
    )
    if (typeof total !== 'number') throw new WalletRefused('the wallet does not count its inscriptions')
    const rows = listIn(list, 'the inscriptions').map((row) => objectIn(row, 'an inscription'))
    for (const { inscriptionId, output } of rows) {
      const coin = textIn(output, 'the coin of an inscription')
      if (!OUTPOINT.test(coin)) throw new WalletRefused(`${coin} is not the coin of an inscription`)
      ids.add(textIn(inscriptionId, 'the id of an inscription'))
      coins.set(coin, textIn(inscriptionId, 'the id of an inscription'))
    }
    cursor += rows.length
    // A list that changes between two pages may lack a row.
    first ??= total
    if (total !== first || (rows.length === 0 && cursor < total)) return null
    if (cursor >= total) return ids.size === total && (await isCurrent()) ? coins : null
  }
  return null
}
