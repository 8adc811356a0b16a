import { CoreSource } from '@ordbook/indexer/node/core.ts'
import * as answers from '@ordbook/indexer/node/core-answers.ts'
import { NodePolicy } from '@ordbook/indexer/node/node-policy.ts'
import { type Check, type Finding, fault, ok, warning } from './finding.ts'

const ABOUT = 'node'
/** The first version that relays packages of version 3 transactions. */
const OLDEST = 280_000

/** Checks the Bitcoin node and the height of the market's index. */
export const nodeCheck: Check = {
  about: ABOUT,
  mend: 'Start Bitcoin Core with server=1, and check the user and password in BITCOIN_RPC_URL.',
  async examine({ config, indexHeight }) {
    if (config.bitcoinRpcUrl === null)
      return [
        warning(
          ABOUT,
          'BITCOIN_RPC_URL is not set. Only a demo market with an embedded chain works without it',
          'Set it to a Bitcoin Core node, as in http://user:password@127.0.0.1:8332',
        ),
      ]
    const node = new CoreSource(config.bitcoinRpcUrl)
    const state = await node.call(answers.nodeState, 'getblockchaininfo')
    if (state.chain !== config.chain)
      return [
        fault(
          ABOUT,
          `the node is on ${state.chain}, but CHAIN is ${config.chain}`,
          'Change CHAIN, or use another node.',
        ),
      ]
    const findings = [
      ...(await versionOf(node)),
      ...progressOf(state),
      ...(await indexesOf(node)),
      ...(await policyOf(node)),
    ]
    if (findings.length === 0)
      findings.push(ok(ABOUT, `${node.host}, chain ${state.chain}, block ${state.blocks}`))
    return [...findings, ...behind(state.blocks, indexHeight, config.tradingLagBlocks)]
  },
}

async function versionOf(node: CoreSource): Promise<Finding[]> {
  const { version, subversion } = await node.call(answers.networkInfo, 'getnetworkinfo')
  return version >= OLDEST
    ? []
    : [
        fault(
          ABOUT,
          `${subversion}`,
          'Install Bitcoin Core 28 or newer. Older versions do not relay collection offers.',
        ),
      ]
}

function progressOf({
  blocks,
  headers,
  initialblockdownload,
}: {
  blocks: number
  headers: number
  initialblockdownload: boolean
}): Finding[] {
  if (!initialblockdownload && headers - blocks <= 2) return []
  return [
    warning(
      ABOUT,
      `the node has ${blocks} of ${headers} blocks`,
      'Wait until node and index are synced. Trading is paused.',
    ),
  ]
}

async function indexesOf(node: CoreSource): Promise<Finding[]> {
  const indexes = await node.call(answers.indexInfo, 'getindexinfo')
  const findings: Finding[] = []
  if (!indexes.txindex)
    findings.push(
      warning(
        ABOUT,
        'the node has no transaction index, so recursive inscriptions cannot read old transactions',
        'Set txindex=1 in bitcoin.conf and restart the node. The index needs about 60 GB on mainnet, and pruning must be off.',
      ),
    )
  else if (!indexes.txindex.synced)
    findings.push(
      warning(
        ABOUT,
        `the transaction index is at block ${indexes.txindex.best_block_height}`,
        'Wait until it is synced.',
      ),
    )
  const { bestblockhash } = await node.blockchainInfo()
  await node.block(bestblockhash)
  if (node.byRest === false)
    findings.push(
      warning(
        ABOUT,
        'the REST interface of the node is off, so reading blocks is about 12 times slower',
        'Set rest=1 in bitcoin.conf and restart the node.',
      ),
    )
  return findings
}

async function policyOf(node: CoreSource): Promise<Finding[]> {
  const policy = new NodePolicy(node)
  await policy.refresh()
  return policy
    .untraded()
    .map(({ trade, reason }) =>
      fault(
        ABOUT,
        `${trade.replace('-', ' ')} cannot be traded: ${reason}`,
        'Change that option of the node.',
      ),
    )
}

function behind(node: number, index: number | null, most: number): Finding[] {
  if (index === null)
    return [warning('index', 'the index has no blocks yet', 'Start a server with the follower role.')]
  const blocks = Math.max(0, node - index)
  return [
    blocks <= most
      ? ok('index', `block ${index}`)
      : warning(
          'index',
          `${blocks} blocks behind the node: trading is paused`,
          'Check that a server with the follower role is running, and check its log.',
        ),
  ]
}
