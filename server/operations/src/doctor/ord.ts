import { Ord } from '@ordbook/indexer/ord/ord.ts'
import { type Check, type Finding, fault, ok, warning } from './finding.ts'

const ABOUT = 'ord'

/** The `ord` server: its indexes of addresses and runes, and how far it is. */
export const ordCheck: Check = {
  about: ABOUT,
  mend: 'Start ord server with --index-addresses --index-runes, and see that ORD_URL names it',
  async examine({ config, indexHeight }) {
    const isMain = config.chain === 'main'
    const judge = isMain ? fault : warning
    if (config.ordUrl === null)
      return isMain
        ? [
            fault(
              ABOUT,
              'ORD_URL is not set',
              'Mainnet needs an ord server: coins of an address and runes come from it',
            ),
          ]
        : [ok(ABOUT, `not set; ${config.chain} works without one`)]
    const ord = new Ord(config.ordUrl)
    const [status, numbering] = await Promise.all([ord.status(), ord.numbering()])
    const findings: Finding[] = []
    if (!status.address_index)
      findings.push(
        judge(
          ABOUT,
          'it keeps no index of addresses',
          'Start it with --index-addresses; it reads the chain again',
        ),
      )
    if (!status.rune_index)
      findings.push(
        judge(
          ABOUT,
          'it keeps no index of runes: a trade may spend them unseen',
          'Start it with --index-runes; it reads the chain again',
        ),
      )
    if (numbering.unrecoverably_reorged)
      findings.push(
        fault(ABOUT, 'a reorg was too deep for it', 'Delete its index and let it read the chain again'),
      )
    const late = indexHeight === null ? 0 : indexHeight - (status.height ?? -1)
    if (late > config.tradingLagBlocks)
      findings.push(
        warning(ABOUT, `${late} blocks behind the index: trading is paused`, 'Wait, or look at its log'),
      )
    return findings.length > 0 ? findings : [ok(ABOUT, `block ${status.height ?? 'none'}`)]
  },
}
