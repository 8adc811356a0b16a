import { findIndexFault } from '@ordbook/indexer/blocks/fault-queries.ts'
import { findLastPoll } from '@ordbook/indexer/mempool/mempool-queries.ts'
import { type Check, type Finding, fault, OLD_SCHEMA, warning } from './finding.ts'

/** Maximum age of the newest block, in hours. As in the alert OrdbookChainStale. */
const STALE_HOURS = 2

/** Checks that the follower reads blocks and mempool. */
export const followerCheck: Check = {
  ...OLD_SCHEMA,
  async examine({ sql, config, identity, tip }) {
    if (!identity) return []
    const findings: Finding[] = []
    const stuck = await findIndexFault(sql)
    if (stuck?.isIndexed)
      findings.push(
        fault(
          'node-other-chain',
          `the follower stopped at block ${stuck.height} on ${stuck.since.toISOString()}: ${stuck.reason}`,
          'Compare the blocks of the node with those of another node. Trading resumes if the node returns to the branch of the index.',
        ),
      )
    else if (stuck)
      findings.push(
        fault(
          'index-fault',
          `block ${stuck.height} cannot be indexed since ${stuck.since.toISOString()}: ${stuck.reason}`,
          'The follower keeps retrying. Please report the block, the transaction and the reason in /status.',
        ),
      )
    const age = (await findLastPoll(sql))?.ageSeconds ?? null
    if (age === null || age > config.tradingMempoolSeconds)
      findings.push(
        fault(
          'mempool-stale',
          age === null
            ? 'the mempool has not been read yet'
            : `the mempool was last read ${Math.round(age)} seconds ago`,
          'Check that a server with the follower role is running, and check its log. Trading is paused.',
        ),
      )
    const hours = tip === null ? 0 : (Date.now() - tip.minedAt.getTime()) / 3_600_000
    // Blocks of regtest are mined on demand.
    if (config.chain !== 'regtest' && hours > STALE_HOURS)
      findings.push(
        warning(
          'chain-stale',
          `the newest block of the index is ${hours.toFixed(1)} hours old`,
          'Check that the node has peers (bitcoin-cli getnetworkinfo), and the log of the follower.',
        ),
      )
    return findings
  },
}
