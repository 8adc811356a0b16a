import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import { choice, integer, readVariables, url } from '@ordbook/process/variables.ts'
import type { Environment } from './variables.ts'

/** Settings of the chain and its index. */
export const indexerVariables = {
  CHAIN: choice(['main', 'test', 'signet', 'regtest'], 'regtest', 'Chain of the node.'),
  ORD_URL: url(
    null,
    ['http:', 'https:'],
    'ord server: inscriptions from before the index, contents of coins, and coins of an address (--index-addresses).',
  ),
  ALLOW_RUNE_LOSS: choice(
    ['no', 'yes'],
    'no',
    'On mainnet, trade without --index-runes of the ord server. Users may lose runes on coins that trades spend.',
  ),
  SAT_INDEX: choice(
    ['auto', 'on', 'off'],
    'auto',
    'Number sats, in an index that begins at the first block; auto: on regtest and signet.',
  ),
  MOVES_RETENTION_BLOCKS: integer(
    0,
    0,
    10_000_000,
    'Blocks for which moves of inscriptions are kept, 0 or at least 100; 0: all.',
  ),
}

export const indexerConstants = {
  /** Depth of a reorg that the follower can undo; beyond it the follower stops. */
  undoBlocks: 100,
  /** Blocks that the index may be behind the node before trades are refused. */
  tradingLagBlocks: 6,
  /** Time since the last read of the mempool after which trades are refused. */
  tradingMempoolSeconds: 60,
  /** Responses with inscription content that one client may be sent at the same time. */
  contentMaxPerClient: 100,
  /** Their bytes. */
  contentMaxMegabytesPerClient: 32,
}

const NETWORKS = {
  main: 'mainnet',
  test: 'testnet',
  signet: 'testnet',
  regtest: 'regtest',
} as const satisfies Record<string, AddressNetwork>

export function readIndexerConfig(
  environment: Environment,
  problems: string[],
  { undoBlocks }: { undoBlocks: number },
) {
  const read = readVariables(indexerVariables, environment, problems)
  if (read.movesRetentionBlocks > 0 && read.movesRetentionBlocks < undoBlocks)
    problems.push(`MOVES_RETENTION_BLOCKS: expected 0, or at least ${undoBlocks}, the depth of a reorg`)
  const addressNetwork: AddressNetwork = NETWORKS[read.chain]
  // On regtest, whoever mines a block waits for the index.
  return { ...read, addressNetwork, pollMilliseconds: read.chain === 'regtest' ? 200 : 500 }
}
