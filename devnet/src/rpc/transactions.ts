import { btcOfSats, sumSats } from '@ordbook/bitcoin/sats.ts'
import { hexOfTransaction, txidOf, weightOf, wtxidOf } from '@ordbook/bitcoin/transaction.ts'
import type { Entry, Mempool } from '../mempool.ts'
import type { Node } from '../node.ts'
import { decode, listOf, type Methods, RpcError } from './arguments.ts'
import { describeSubmitted, describeTest, describeTransaction } from './describe.ts'

export function transactionMethods(node: Node): Methods {
  const { chain, mempool } = node
  return {
    getrawtransaction: ([txid, verbose = false, blockhash]) => {
      const confirmed = chain.transactions.get(txid)
      const tx = mempool.entries.get(txid)?.tx ?? confirmed?.tx
      if (blockhash !== undefined && confirmed?.block !== blockhash)
        throw new RpcError(-5, 'No such transaction found in the provided block.')
      if (!tx)
        throw new RpcError(
          -5,
          'No such mempool or blockchain transaction. Use gettransaction for wallet transactions.',
        )
      if (!verbose) return hexOfTransaction(tx)
      const block = confirmed && chain.blocks.get(confirmed.block)!
      const position = block?.transactions.findIndex((each) => txidOf(each) === txid)
      const spent = Number(verbose) === 2 && block ? chain.spentBy(block)?.[position!] : undefined
      return {
        ...describeTransaction(tx, spent),
        ...(block
          ? {
              blockhash: block.hash,
              confirmations: chain.height - block.height + 1,
              blocktime: block.header.time,
              time: block.header.time,
            }
          : {}),
      }
    },
    sendrawtransaction: ([hex]) => {
      const tx = decode(hex)
      if (mempool.entries.has(txidOf(tx))) return txidOf(tx)
      if (chain.transactions.has(txidOf(tx)))
        throw new RpcError(-27, 'Transaction outputs already in utxo set')
      return mempool.accept(tx).entry.txid
    },
    testmempoolaccept: ([hexes]) => node.test(listOf(hexes)).map(describeTest),
    submitpackage: ([hexes]) => {
      const transactions = listOf(hexes)
      if (transactions.length > 25)
        throw new RpcError(-8, 'Array must contain between 1 and 25 transactions.')
      const { results, replaced } = node.submitPackage(transactions)
      return {
        package_msg: results.some((result) => result.error) ? 'transaction failed' : 'success',
        'tx-results': Object.fromEntries(results.map((result) => [result.wtxid, describeSubmitted(result)])),
        'replaced-transactions': replaced,
      }
    },
  }
}

export function mempoolMethods({ chain, mempool }: Node): Methods {
  return {
    estimatesmartfee: ([target]) => ({ errors: ['Insufficient data or no feerate found'], blocks: target }),
    getmempoolinfo: () => ({
      loaded: true,
      size: mempool.entries.size,
      bytes: [...mempool.entries.values()].reduce((sum, entry) => sum + entry.vsize, 0),
      mempoolminfee: 0.000001,
      minrelaytxfee: 0.000001,
      incrementalrelayfee: 0.000001,
    }),
    getrawmempool: () => [...mempool.entries.keys()],
    getmempoolentry: ([txid]) => {
      const entry = mempoolEntry(mempool, txid)
      const ancestors = mempool.ancestorsOf(entry.parents)
      const family = [entry, ...[...ancestors].map((ancestor) => mempoolEntry(mempool, ancestor))]
      return {
        vsize: entry.vsize,
        weight: weightOf(entry.tx),
        time: entry.time,
        height: chain.height,
        ancestorcount: family.length,
        ancestorsize: sumSats(family.map((each) => each.vsize)),
        descendantcount: mempool.familyBelow(txid).size,
        wtxid: wtxidOf(entry.tx),
        fees: {
          base: btcOfSats(entry.feeSats),
          modified: btcOfSats(entry.feeSats),
          ancestor: btcOfSats(sumSats(family.map((each) => each.feeSats))),
        },
        depends: [...entry.parents],
        spentby: [...mempool.childrenOf(txid)],
      }
    },
  }
}

/** Returns a mempool entry. Throws RpcError if there is none. */
export function mempoolEntry(mempool: Mempool, txid: string): Entry {
  const entry = mempool.entries.get(txid)
  if (!entry) throw new RpcError(-5, 'Transaction not in mempool')
  return entry
}
