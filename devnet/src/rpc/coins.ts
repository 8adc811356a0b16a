import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { btcOfSats } from '@ordbook/bitcoin/sats.ts'
import type { Unspent } from '../chain.ts'
import type { Node } from '../node.ts'
import { type Methods, scriptOfDescriptor } from './arguments.ts'
import { describeScript } from './describe.ts'

export function coinMethods({ chain, mempool }: Node): Methods {
  return {
    gettxout: ([txid, vout, includeMempool = true]) => {
      const key = formatOutpoint({ txid, vout })
      if (includeMempool && mempool.spenderOf({ txid, vout })) return null
      const pending = includeMempool ? mempool.entries.get(txid)?.tx.outputs[vout] : undefined
      const coin: Unspent | undefined = pending
        ? { ...pending, height: chain.height + 1, coinbase: false }
        : chain.unspent.get(key)
      if (!coin) return null
      return {
        bestblock: chain.tip.hash,
        confirmations: chain.height + 1 - coin.height,
        value: btcOfSats(coin.valueSats),
        scriptPubKey: describeScript(coin.script),
        coinbase: coin.coinbase,
      }
    },
    gettxspendingprevout: ([outpoints]) =>
      outpoints.map(({ txid, vout }: { txid: string; vout: number }) => {
        const spender = mempool.spenderOf({ txid, vout })
        return { txid, vout, ...(spender ? { spendingtxid: spender } : {}) }
      }),
    scantxoutset: ([action, descriptors]) => {
      if (action !== 'start') return null
      const scripts = new Set(
        descriptors.map((descriptor: string | { desc: string }) =>
          bytesToHex(scriptOfDescriptor(typeof descriptor === 'string' ? descriptor : descriptor.desc)),
        ),
      )
      const unspents = [...chain.unspent].filter(([, coin]) => scripts.has(bytesToHex(coin.script)))
      return {
        success: true,
        txouts: chain.unspent.size,
        height: chain.height,
        bestblock: chain.tip.hash,
        unspents: unspents.map(([key, coin]) => ({
          txid: key.slice(0, 64),
          vout: Number(key.slice(65)),
          scriptPubKey: bytesToHex(coin.script),
          desc: `raw(${bytesToHex(coin.script)})`,
          amount: btcOfSats(coin.valueSats),
          coinbase: coin.coinbase,
          height: coin.height,
        })),
        total_amount: btcOfSats(unspents.reduce((sum, [, coin]) => sum + coin.valueSats, 0)),
      }
    },
  }
}
