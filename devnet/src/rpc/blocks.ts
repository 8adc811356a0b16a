import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import { type Block, blockWeight, encodeBlock, encodeHeader } from '../block.ts'
import { statsOf } from '../block-stats.ts'
import type { Chain } from '../chain.ts'
import type { Node } from '../node.ts'
import { type Methods, RpcError } from './arguments.ts'
import { describeTransaction } from './describe.ts'

/** Regtest's difficulty: two attempts per block on average. */
const REGTEST_DIFFICULTY = 4.656542373906925e-10

export function blockMethods({ chain }: Node): Methods {
  const blockOf = (hash: unknown): Block => {
    const block = chain.blocks.get(String(hash))
    if (!block) throw new RpcError(-5, 'Block not found')
    return block
  }
  return {
    getblockchaininfo: () => ({
      chain: 'regtest',
      blocks: chain.height,
      headers: chain.height,
      bestblockhash: chain.tip.hash,
      time: chain.tip.header.time,
      initialblockdownload: false,
      verificationprogress: 1,
      pruned: false,
      warnings: ['devnet: a chain for tests, never for real coins'],
    }),
    getnetworkinfo: () => ({
      version: 290000,
      subversion: '/ordbook-devnet:0.1.0/',
      relayfee: 0.000001,
      incrementalfee: 0.000001,
    }),
    getchaintxstats: ([, hash]) => {
      const { height } = headerOf(chain, blockOf(hash))
      const blocks = Array.from({ length: height + 1 }, (_, at) => chain.at(at)!)
      return { txcount: blocks.reduce((count, { transactions }) => count + transactions.length, 0) }
    },
    getblockcount: () => chain.height,
    getbestblockhash: () => chain.tip.hash,
    getblockhash: ([height]) => {
      const block = chain.at(height)
      if (!block) throw new RpcError(-8, 'Block height out of range')
      return block.hash
    },
    getblockheader: ([hash, verbose = true]) =>
      verbose ? headerOf(chain, blockOf(hash)) : bytesToHex(encodeHeader(blockOf(hash).header)),
    getblock: ([hash, verbosity = 1]) => {
      const block = blockOf(hash)
      const level = Number(verbosity)
      if (level === 0) return bytesToHex(encodeBlock(block))
      const spent = chain.spentBy(block)
      return {
        ...headerOf(chain, block),
        size: encodeBlock(block).length,
        weight: blockWeight(block),
        tx: block.transactions.map((tx, i) =>
          level === 1 ? txidOf(tx) : describeTransaction(tx, level >= 3 ? spent?.[i] : undefined),
        ),
      }
    },
    getblockstats: ([hash]) => {
      const block = blockOf(hash)
      const spent = chain.spentBy(block)
      if (!spent) throw new RpcError(-8, 'Block is not in the main chain')
      return statsOf(block, spent)
    },
    getindexinfo: () => ({ txindex: { synced: true, best_block_height: chain.height } }),
    uptime: () => Math.floor(process.uptime()),
  }
}

function medianTimeOf(chain: Chain, block: Block): number {
  const times: number[] = []
  for (
    let each: Block | undefined = block;
    each && times.length < 11;
    each = chain.blocks.get(each.header.previous)
  )
    times.push(each.header.time)
  return times.sort((a, b) => a - b)[times.length >> 1]!
}

function headerOf(chain: Chain, block: Block) {
  return {
    hash: block.hash,
    confirmations: chain.isActive(block) ? chain.height - block.height + 1 : -1,
    height: block.height,
    version: block.header.version,
    merkleroot: block.header.merkleRoot,
    time: block.header.time,
    mediantime: medianTimeOf(chain, block),
    nonce: block.header.nonce,
    bits: block.header.bits.toString(16),
    difficulty: REGTEST_DIFFICULTY,
    chainwork: (2 * (block.height + 1)).toString(16).padStart(64, '0'),
    nTx: block.transactions.length,
    ...(block.height > 0 ? { previousblockhash: block.header.previous } : {}),
    ...(chain.isActive(block) && chain.at(block.height + 1)
      ? { nextblockhash: chain.at(block.height + 1)!.hash }
      : {}),
  }
}
