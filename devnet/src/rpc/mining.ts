import { bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { decodeBlock } from '../block.ts'
import type { Node } from '../node.ts'
import { decode, type Methods, scriptOf, scriptOfDescriptor } from './arguments.ts'
import { mempoolEntry } from './transactions.ts'

export function miningMethods(node: Node): Methods {
  const { chain, mempool } = node
  return {
    generatetoaddress: ([count, address]) => node.mine(scriptOf(address), count),
    generateblock: ([output, transactions]) => ({
      hash: node.mineExactly(
        /^raw\(|^addr\(/.test(output) ? scriptOfDescriptor(output) : scriptOf(output),
        transactions.map((transaction: string) =>
          transaction.length === 64 ? mempoolEntry(mempool, transaction).tx : decode(transaction),
        ),
      ).hash,
    }),
    submitblock: ([hex]) => {
      const bytes = hexToBytes(String(hex))
      const parent = chain.blocks.get(bytesToHex(bytes.slice(4, 36).reverse()))
      if (!parent) return 'prev-blk-not-found'
      return node.takeBlock(decodeBlock(bytes, parent.height + 1))
    },
    setmocktime: ([seconds]) => {
      chain.mockTime = Number(seconds)
      return null
    },
    invalidateblock: ([hash]) => node.judge('invalidate', hash),
    reconsiderblock: ([hash]) => node.judge('reconsider', hash),
  }
}
