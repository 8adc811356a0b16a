import type { AddressNetwork } from '@ordbook/bitcoin/address.ts'
import type { Environment } from '@ordbook/process/settings-file.ts'
import { choice, integer, readVariables, url, type Variable } from '@ordbook/process/variables.ts'

const addressIndexUrl = url(
  null,
  ['electrum:', 'electrum+tls:', 'esplora+http:', 'esplora+https:', 'node:'],
  'Finds the coins of an address: electrum+tls://HOST:PORT (protocol 1.4), esplora+https://HOST/api, or node:///FOLDER, where the node writes its coins.',
)

/** Returns the folder of `node:///FOLDER`, null for another URL. */
export const utxoFolderOf = (url: string | null): string | null =>
  url?.startsWith('node://') ? url.slice('node://'.length) : null

export const indexerVariables = {
  CHAIN: choice(['main', 'test', 'signet', 'regtest'], 'regtest', 'Chain of the node.'),
  ORD_URL: url(
    null,
    ['http:', 'https:'],
    'ord server: inscriptions from before the index, contents of coins, and coins of an address (--index-addresses).',
  ),
  ADDRESS_INDEX_URL: {
    ...addressIndexUrl,
    // The folder is the text after `node://`.
    read: (text) =>
      /^\s*node:/i.test(text) && !/^node:\/\/\/./.test(text) ? undefined : addressIndexUrl.read(text),
  } satisfies Variable<string | null>,
  ALLOW_RUNE_LOSS: choice(
    ['auto', 'no', 'yes'],
    'auto',
    'Pay with coins that may have runes, which their owners lose. no: ord needs --index-runes; without ord, the node must prove that coins have none. auto: no on mainnet.',
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
  /** Deepest reorg that can be undone. A deeper one stops the follower. */
  undoBlocks: 100,
  /** A sync that reads more bytes continues in a thread. Smaller ones end before it has started. */
  blockThreadFromBytes: 32 * 2 ** 20,
  /** Least time between two loads of the UTXO set. */
  utxoLoadPauseMilliseconds: 60_000,
  /** Poll interval of the node once chain and mempool have not changed for `quietAfterMilliseconds`. */
  quietPollMilliseconds: 1000,
  quietAfterMilliseconds: 20_000,
  /** Trades are rejected if the index is further behind the node. */
  tradingLagBlocks: 6,
  /** Trades are rejected if the last mempool poll is older. */
  tradingMempoolSeconds: 60,
  contentMaxPerClient: 100,
  /** Maximum total size of these responses, in MB. */
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
  // Poll regtest more often, because tests wait for each block.
  return { ...read, addressNetwork, pollMilliseconds: read.chain === 'regtest' ? 200 : 500 }
}
