import { findBlockHash } from '@ordbook/indexer/inscriptions/queries.ts'
import { CoreSource } from '@ordbook/indexer/node/core.ts'
import * as answers from '@ordbook/indexer/node/core-answers.ts'
import { NodePolicy, type Untraded } from '@ordbook/indexer/node/node-policy.ts'
import { endpointsOf } from '@ordbook/indexer/node/notifications.ts'
import type { DoctorFault } from '../faults/faults.ts'
import { type Check, type Finding, fault, type Installation, ok, warning } from './finding.ts'

const ABOUT = 'node'
/** The first version that relays packages of version 3 transactions. */
const OLDEST = 280_000

type NodeState = ReturnType<typeof answers.nodeState>

/** Checks the Bitcoin node and the height of the market's index. */
export const nodeCheck: Check = {
  failure: 'node-down',
  mend: 'Start Bitcoin Core with server=1, and check the user and password in BITCOIN_RPC_URL.',
  async examine(installation) {
    const { config } = installation
    if (config.bitcoinRpcUrl === null)
      return [
        warning(
          'node-unset',
          'BITCOIN_RPC_URL is not set. Only a demo market with an embedded chain works without it',
          'Set it to a Bitcoin Core node, as in http://user:password@127.0.0.1:8332',
        ),
      ]
    const node = new CoreSource(config.bitcoinRpcUrl)
    const state = await node.call(answers.nodeState, 'getblockchaininfo')
    if (state.chain !== config.chain)
      return [
        fault(
          'node-wrong-network',
          `the node is on ${state.chain}, but CHAIN is ${config.chain}`,
          'Change CHAIN, or use another node.',
        ),
      ]
    const otherChain = await otherChainOf(node, state, installation)
    if (otherChain) return [otherChain]
    const findings = [
      ...(await versionOf(node)),
      ...progressOf(state),
      ...prunedOf(state, installation),
      ...(await indexesOf(node, state)),
      ...(await policyOf(node)),
    ]
    if (findings.length === 0)
      findings.push(
        ok(ABOUT, `${node.host}, chain ${state.chain}, block ${state.blocks}, ${await announcesOf(node)}`),
      )
    return [...findings, ...behind(state.blocks, installation)]
  },
}

async function announcesOf(node: CoreSource): Promise<string> {
  const { size } = endpointsOf(await node.notifications(), node.host)
  return size > 0 ? 'announces blocks by ZMQ' : 'announces no blocks by ZMQ, so it is polled'
}

/** Compares the node's blocks with the index, below the depth of a reorg. */
async function otherChainOf(
  node: CoreSource,
  { blocks, headers }: NodeState,
  { sql, config, tip }: Installation,
): Promise<Finding | null> {
  if (tip === null) return null
  const mend = 'Set BITCOIN_RPC_URL to the node with which this database was filled.'
  if (headers < tip.height - config.undoBlocks)
    return fault(
      'node-other-chain',
      `the node has ${blocks} blocks and knows of ${headers}, but the index has ${tip.height}: it is on another chain, or new`,
      `${mend} If the node is new, wait until it knows of all blocks.`,
    )
  const height = Math.min(blocks, tip.height - config.undoBlocks)
  const own = height < 0 ? null : await findBlockHash(sql, height)
  if (own === null || (await node.blockHash(height)) === own) return null
  return fault(
    'node-other-chain',
    `block ${height} of the node differs from block ${height} of the index: it is on another chain`,
    mend,
  )
}

async function versionOf(node: CoreSource): Promise<Finding[]> {
  const { version, subversion } = await node.call(answers.networkInfo, 'getnetworkinfo')
  return version >= OLDEST
    ? []
    : [
        fault(
          'node-version',
          `${subversion}`,
          'Install Bitcoin Core 28 or newer. Older versions do not relay collection offers.',
        ),
      ]
}

function progressOf({ blocks, headers, initialblockdownload }: NodeState): Finding[] {
  if (!initialblockdownload && headers - blocks <= 2) return []
  return [
    fault(
      'node-syncing',
      `the node has ${blocks} of ${headers} blocks`,
      'Wait until node and index are synced. Do not trade before.',
    ),
  ]
}

/** The index needs all blocks above its own, and a database that is restored or filled again needs all blocks. */
function prunedOf({ pruned, pruneheight = 0 }: NodeState, { tip }: Installation): Finding[] {
  if (!pruned) return []
  const mend = 'Remove prune from bitcoin.conf and restart the node with -reindex.'
  const next = (tip?.height ?? -1) + 1
  return [
    pruneheight > next
      ? fault(
          'node-pruned',
          `the node is pruned below block ${pruneheight}, and the index needs block ${next}`,
          mend,
        )
      : warning(
          'node-pruned',
          `the node is pruned below block ${pruneheight}: it cannot fill a new index, and recursive inscriptions cannot read old blocks`,
          mend,
        ),
  ]
}

async function indexesOf(node: CoreSource, { pruned }: NodeState): Promise<Finding[]> {
  const indexes = await node.call(answers.indexInfo, 'getindexinfo')
  const findings: Finding[] = []
  if (!indexes.txindex)
    findings.push(
      warning(
        'node-txindex-off',
        'the node has no transaction index, so recursive inscriptions cannot read old transactions',
        pruned
          ? 'Set txindex=1 in bitcoin.conf when the node is no longer pruned.'
          : 'Set txindex=1 in bitcoin.conf and restart the node. The index needs about 60 GB on mainnet, and pruning must be off.',
      ),
    )
  else if (!indexes.txindex.synced)
    findings.push(
      warning(
        'node-txindex-syncing',
        `the transaction index is at block ${indexes.txindex.best_block_height}`,
        'Wait until it is synced.',
      ),
    )
  const { bestblockhash } = await node.blockchainInfo()
  await node.block(bestblockhash)
  if (node.byRest === false)
    findings.push(
      warning(
        'node-rest-off',
        'the REST interface of the node is off, so reading blocks is about 12 times slower',
        'Set rest=1 in bitcoin.conf and restart the node.',
      ),
    )
  return findings
}

const POLICIES: Record<Untraded['option'], { id: DoctorFault; mend: string }> = {
  minrelaytxfee: {
    id: 'node-minrelaytxfee',
    mend: 'Remove minrelaytxfee from bitcoin.conf, or set it to 0.00001 or less, and restart the node.',
  },
  dustrelayfee: {
    id: 'node-dustrelayfee',
    mend: 'Remove dustrelayfee (Knots: also dustdynamic) from bitcoin.conf, and restart the node.',
  },
  packages: {
    id: 'node-packages',
    mend: 'Set corepolicy=1 in the bitcoin.conf of Bitcoin Knots and restart it, or install Bitcoin Core 28 or newer.',
  },
}

async function policyOf(node: CoreSource): Promise<Finding[]> {
  const policy = new NodePolicy(node)
  await policy.refresh()
  return policy.untraded().map(({ trade, reason, option }) => {
    const { id, mend } = POLICIES[option]
    return fault(id, `${trade.replace('-', ' ')} cannot be traded: ${reason}`, mend)
  })
}

function behind(node: number, { identity, tip, config, isDatabaseUp }: Installation): Finding[] {
  if (!isDatabaseUp) return []
  if (tip === null && identity === null)
    return [warning('index-empty', 'the index has no blocks yet', 'Start a server with the follower role.')]
  if (tip !== null && node < tip.height)
    return [
      fault(
        'node-behind',
        `the node is at block ${node}, the index at block ${tip.height}: trading is paused`,
        'Wait until the node is synced, or use another node.',
      ),
    ]
  const blocks = Math.max(0, node - (tip?.height ?? -1))
  return [
    blocks <= config.tradingLagBlocks
      ? ok('index', `block ${tip?.height ?? 'none'}`)
      : fault(
          'index-behind',
          `${blocks} blocks behind the node: trading is paused`,
          'Check that a server with the follower role is running, and check its log.',
        ),
  ]
}
