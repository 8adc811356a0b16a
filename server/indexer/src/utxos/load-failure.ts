import { codeOf, DatabaseOutage } from '@ordbook/db/driver/outage.ts'
import { Fault } from '@ordbook/db/process/errors.ts'
import { RpcFault } from '../node/rpc.ts'
import { DumpError } from './dump-reader.ts'
import { FolderError } from './node-dump.ts'

/** Why the UTXO set could not be loaded or followed. `reason` is public; `mend` is for the operator. */
export const UTXO_FAILURES = {
  node: {
    reason: 'the Bitcoin node does not respond',
    mend: 'Start the node, and check BITCOIN_RPC_URL.',
  },
  'node-version': {
    reason: 'the Bitcoin node cannot dump its coins',
    mend: 'Install Bitcoin Core 30 or Knots 29.4, or later.',
  },
  'node-folder': {
    reason: 'the Bitcoin node cannot write its coins into the folder of ADDRESS_INDEX_URL',
    mend: "Node and server must see the same folder at this path. Let the node's user write there, and remove utxos.dump.",
  },
  folder: {
    reason: 'the server cannot use the folder of ADDRESS_INDEX_URL',
    mend: "Let the server's user create and read files there. Nodes that write no pipes also need 12 GB.",
  },
  dump: {
    reason: 'the coins that arrived are not those that the node reported',
    mend: 'Let only node and server write to the folder of ADDRESS_INDEX_URL. The load is repeated.',
  },
  disk: {
    reason: 'the disk of PostgreSQL is full',
    mend: 'The coins of mainnet need 30 GB of PostgreSQL. Free the space; the load is repeated.',
  },
  database: {
    reason: 'the database does not respond',
    mend: 'Check PostgreSQL. The load is repeated.',
  },
  other: {
    reason: 'the coins cannot be read',
    mend: 'Check the log of the server with the follower role.',
  },
} as const satisfies Record<string, { reason: string; mend: string }>

export type UtxoFailure = keyof typeof UTXO_FAILURES

const METHOD_NOT_FOUND = -32_601
const DISK_FULL = '53100'

export function failureOf(error: unknown): UtxoFailure {
  if (error instanceof FolderError) return error.of === 'node' ? 'node-folder' : 'folder'
  if (error instanceof DumpError) return error.isVersion ? 'node-version' : 'dump'
  if (error instanceof RpcFault) return error.code === METHOD_NOT_FOUND ? 'node-version' : 'node-folder'
  if (codeOf(error) === DISK_FULL) return 'disk'
  if (error instanceof DatabaseOutage) return 'database'
  return error instanceof Fault && error.code === 'node-unavailable' ? 'node' : 'other'
}
