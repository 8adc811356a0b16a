import { findUnknown, type Unknown } from '@ordbook/indexer/adoption/unknown-queries.ts'
import { Ord } from '@ordbook/indexer/ord/ord.ts'
import { type Check, type Finding, fault, ok, warning } from './finding.ts'

const ABOUT = 'ord'

const NOT_REQUIRED = 'ORD_URL is not set, and not required'
const UNKNOWN: Readonly<Record<Unknown, string>> = {
  'sat-numbers': 'sats are not numbered',
  runes: 'balances of runes are unknown',
  'rare-sats': 'rare sats of blocks before the index are unknown, and payments may spend them',
}
const withoutOrd = (unknown: readonly Unknown[]) =>
  `${NOT_REQUIRED}: ${unknown.map((each) => UNKNOWN[each]).join('; ')}`

/** Checks the indexes and the height of the `ord` server. */
export const ordCheck: Check = {
  failure: 'ord-down',
  mend: 'Start ord server with --index-addresses --index-runes, and check ORD_URL.',
  async examine({ config, sql, tip }) {
    const isMain = config.chain === 'main'
    const judge = isMain ? fault : warning
    if (config.ordUrl === null)
      return isMain && config.addressIndexUrl === null
        ? [
            fault(
              'ord-unset',
              'neither ORD_URL nor ADDRESS_INDEX_URL is set',
              'Set ORD_URL or ADDRESS_INDEX_URL. Mainnet needs one of them to find the coins of an address.',
            ),
          ]
        : [ok(ABOUT, tip === null ? NOT_REQUIRED : withoutOrd(await findUnknown(sql)))]
    const ord = new Ord(config.ordUrl)
    const [status, numbering] = await Promise.all([ord.status(), ord.numbering()])
    const findings: Finding[] = []
    if (!status.address_index)
      findings.push(
        judge(
          'ord-indexes',
          'the ord server has no address index',
          'Start it with --index-addresses. It indexes the chain again.',
        ),
      )
    if (!status.rune_index)
      findings.push(
        judge(
          'ord-indexes',
          'the ord server has no rune index: a trade can spend runes unnoticed',
          'Start it with --index-runes. It indexes the chain again.',
        ),
      )
    if (numbering.unrecoverably_reorged)
      findings.push(
        fault(
          'ord-reorged',
          'the ord server cannot handle a deep reorg',
          'Delete its index, so that it indexes the chain again.',
        ),
      )
    const lagBlocks = tip === null ? 0 : tip.height - (status.height ?? -1)
    if (lagBlocks > config.tradingLagBlocks)
      findings.push(
        fault(
          'ord-behind',
          `${lagBlocks} blocks behind the index: trading is paused`,
          'Wait, or check its log.',
        ),
      )
    return findings.length > 0 ? findings : [ok(ABOUT, `block ${status.height ?? 'none'}`)]
  },
}
