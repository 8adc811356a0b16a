import { utxoFolderOf } from '@ordbook/db/settings/indexer.ts'
import { CoreSource } from '@ordbook/indexer/node/core.ts'
import { UTXO_FAILURES } from '@ordbook/indexer/utxos/load-failure.ts'
import { findUtxoState, type UtxoState } from '@ordbook/indexer/utxos/load-queries.ts'
import { type Check, type Finding, fault, OLD_SCHEMA, ok, warning } from './finding.ts'

const ABOUT = 'coins'

/** Checks the market's table of UTXOs. */
export const coinsCheck: Check = {
  ...OLD_SCHEMA,
  async examine({ config, sql, identity }) {
    if (!identity || utxoFolderOf(config.addressIndexUrl) === null || config.bitcoinRpcUrl === null) return []
    const state = await findUtxoState(sql)
    if (state.state === 'loading')
      return [
        warning(
          'coins-loading',
          `${progressOf(state)}; addresses cannot be looked up yet`,
          'Wait, and check that a server with the follower role is running.',
        ),
      ]
    if (state.failure) return [failed(state.failure, state.height)]
    // Without the node, which its own check reports, the lag is unknown.
    const node = await new CoreSource(config.bitcoinRpcUrl).blockchainInfo().catch(() => null)
    const behind = node === null ? 0 : node.blocks - state.height!
    return [
      behind > config.tradingLagBlocks
        ? fault(
            'coins-failed',
            `block ${state.height}, ${behind} blocks behind the node`,
            'Check that a server with the follower role is running, and check its log.',
          )
        : ok(ABOUT, `block ${state.height}`),
    ]
  },
}

function progressOf({ phase, coinsRead, coinsTotal, percent, secondsLeft }: UtxoState): string {
  const share = percent === null ? '' : `, ${Math.floor(percent)} %`
  const time = secondsLeft === null ? '' : `, about ${Math.ceil(secondsLeft / 60)} min left`
  switch (phase) {
    case 'waiting':
      return 'waiting for the node, which hashes all coins first'
    case 'reading':
      return `reading ${coinsRead} of ${coinsTotal} coins${share}${time}`
    case 'indexing':
      return `indexing ${coinsTotal} coins${share}${time}`
    default:
      return 'the load has not begun'
  }
}

function failed({ is, detail, at }: NonNullable<UtxoState['failure']>, height: number | null): Finding {
  const { reason, mend } = UTXO_FAILURES[is]
  const place = height === null ? '' : `block ${height}: `
  return fault('coins-failed', `${place}${reason} (${new Date(at).toISOString()}: ${detail})`, mend)
}
