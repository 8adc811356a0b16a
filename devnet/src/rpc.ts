import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { addressOfScript, kindOfScript, scriptOfAddress } from '@ordbook/bitcoin/address.ts'
import { bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { BitcoinError } from '@ordbook/bitcoin/errors.ts'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { encodeSpent } from '@ordbook/bitcoin/raw-block.ts'
import { btcOfSats, sumSats } from '@ordbook/bitcoin/sats.ts'
import {
  decodeTransaction,
  hexOfTransaction,
  type Tx,
  type TxOutput,
  txidOf,
  vsizeOf,
  weightOf,
  wtxidOf,
} from '@ordbook/bitcoin/transaction.ts'
import { type Block, blockWeight, decodeBlock, encodeBlock, encodeHeader } from './block.ts'
import { statsOf } from './block-stats.ts'
import { RejectError, type Unspent } from './chain.ts'
import type { Entry } from './mempool.ts'
import type { Node, PackageResult } from './node.ts'

/** An answer with an error, with Core's code. */
class RpcError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Regtest's blocks take two tries: a fraction of the lowest difficulty of mainnet. */
const REGTEST_DIFFICULTY = 4.656542373906925e-10

type Params = any[]
type Method = (params: Params) => unknown

/** The subset of Bitcoin Core's JSON-RPC that ordbook uses, with Core's shapes. */
function methodsOf(node: Node): Record<string, Method> {
  const { chain, mempool } = node
  const blockOf = (hash: unknown): Block => {
    const block = chain.blocks.get(String(hash))
    if (!block) throw new RpcError(-5, 'Block not found')
    return block
  }
  const medianTimeOf = (block: Block): number => {
    const times: number[] = []
    for (
      let each: Block | undefined = block;
      each && times.length < 11;
      each = chain.blocks.get(each.header.previous)
    )
      times.push(each.header.time)
    return times.sort((a, b) => a - b)[times.length >> 1]!
  }
  const headerOf = (block: Block) => ({
    hash: block.hash,
    confirmations: chain.isActive(block) ? chain.height - block.height + 1 : -1,
    height: block.height,
    version: block.header.version,
    merkleroot: block.header.merkleRoot,
    time: block.header.time,
    mediantime: medianTimeOf(block),
    nonce: block.header.nonce,
    bits: block.header.bits.toString(16),
    difficulty: REGTEST_DIFFICULTY,
    // Two hashes a block on average.
    chainwork: (2 * (block.height + 1)).toString(16).padStart(64, '0'),
    nTx: block.transactions.length,
    ...(block.height > 0 ? { previousblockhash: block.header.previous } : {}),
    ...(chain.isActive(block) && chain.at(block.height + 1)
      ? { nextblockhash: chain.at(block.height + 1)!.hash }
      : {}),
  })
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
      warnings: ['devnet: a chain for trying things, never for real coins'],
    }),
    getnetworkinfo: () => ({
      version: 290000,
      subversion: '/ordbook-devnet:0.1.0/',
      relayfee: 0.000001,
      incrementalfee: 0.000001,
    }),
    getblockcount: () => chain.height,
    getbestblockhash: () => chain.tip.hash,
    getblockhash: ([height]) => {
      const block = chain.at(height)
      if (!block) throw new RpcError(-8, 'Block height out of range')
      return block.hash
    },
    getblockheader: ([hash, verbose = true]) =>
      verbose ? headerOf(blockOf(hash)) : bytesToHex(encodeHeader(blockOf(hash).header)),
    getblock: ([hash, verbosity = 1]) => {
      const block = blockOf(hash)
      const level = Number(verbosity)
      if (level === 0) return bytesToHex(encodeBlock(block))
      const spent = chain.spentBy(block)
      return {
        ...headerOf(block),
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
    getrawtransaction: ([txid, verbose = false]) => {
      const confirmed = chain.transactions.get(txid)
      const tx = mempool.entries.get(txid)?.tx ?? confirmed?.tx
      if (!tx)
        throw new RpcError(
          -5,
          'No such mempool or blockchain transaction. Use gettransaction for wallet transactions.',
        )
      if (!verbose) return hexOfTransaction(tx)
      const block = confirmed && chain.blocks.get(confirmed.block)!
      return {
        ...describeTransaction(tx),
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
        descriptors.map((each: string | { desc: string }) =>
          bytesToHex(scriptOfDescriptor(typeof each === 'string' ? each : each.desc)),
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
    generatetoaddress: ([count, address]) => node.mine(scriptOf(address), count),
    generateblock: ([output, transactions]) => ({
      hash: node.mineExactly(
        /^raw\(|^addr\(/.test(output) ? scriptOfDescriptor(output) : scriptOf(output),
        transactions.map((each: string) => (each.length === 64 ? mempoolEntry(each).tx : decode(each))),
      ).hash,
    }),
    submitblock: ([hex]) => {
      const bytes = hexToBytes(String(hex))
      const parent = chain.blocks.get(bytesToHex(bytes.slice(4, 36).reverse()))
      if (!parent) return 'prev-blk-not-found'
      return node.takeBlock(decodeBlock(bytes, parent.height + 1))
    },
    invalidateblock: ([hash]) => node.judge('invalidate', hash),
    reconsiderblock: ([hash]) => node.judge('reconsider', hash),
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
      const entry = mempoolEntry(txid)
      const ancestors = mempool.ancestorsOf(entry.parents)
      const family = [entry, ...[...ancestors].map(mempoolEntry)]
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
    getindexinfo: () => ({ txindex: { synced: true, best_block_height: chain.height } }),
    uptime: () => Math.floor(process.uptime()),
  }
  function mempoolEntry(txid: string): Entry {
    const entry = mempool.entries.get(txid)
    if (!entry) throw new RpcError(-5, 'Transaction not in mempool')
    return entry
  }
}

function scriptOf(address: string): Uint8Array {
  return scriptOfAddress(address, 'regtest')
}

function scriptOfDescriptor(descriptor: string): Uint8Array {
  const [, kind, body] = /^(raw|addr)\(([^)]+)\)(?:#.*)?$/.exec(descriptor) ?? []
  if (!kind || !body)
    throw new RpcError(-5, `the devnet knows raw() and addr() descriptors, not ${descriptor}`)
  return kind === 'raw' ? hexToBytes(body) : scriptOf(body)
}

function decode(hex: unknown): Tx {
  try {
    return decodeTransaction(String(hex))
  } catch {
    throw new RpcError(-22, 'TX decode failed. Make sure the tx has at least one input.')
  }
}

function listOf(hexes: unknown): Tx[] {
  if (!Array.isArray(hexes) || hexes.length === 0)
    throw new RpcError(-8, 'Array must contain between 1 and 25 transactions.')
  return hexes.map(decode)
}

const TYPES = {
  p2tr: 'witness_v1_taproot',
  p2wpkh: 'witness_v0_keyhash',
  p2wsh: 'witness_v0_scripthash',
  p2sh: 'scripthash',
  p2pkh: 'pubkeyhash',
  other: 'nonstandard',
}

function describeScript(script: Uint8Array) {
  const address = addressOfScript(script, 'regtest')
  const type = script[0] === 0x6a ? 'nulldata' : TYPES[kindOfScript(script)]
  return { hex: bytesToHex(script), ...(address ? { address } : {}), type }
}

function describeTransaction(tx: Tx, spent?: readonly TxOutput[]) {
  return {
    txid: txidOf(tx),
    hash: wtxidOf(tx),
    version: tx.version,
    vsize: vsizeOf(tx),
    weight: weightOf(tx),
    locktime: tx.locktime,
    vin: tx.inputs.map((input, i) => {
      const coin = spent?.[i] as Unspent | undefined
      return {
        ...(input.vout === 0xffffffff
          ? { coinbase: bytesToHex(input.scriptSig) }
          : { txid: input.txid, vout: input.vout, scriptSig: { hex: bytesToHex(input.scriptSig) } }),
        ...(input.witness.length > 0 ? { txinwitness: input.witness.map((item) => bytesToHex(item)) } : {}),
        ...(coin
          ? {
              prevout: {
                generated: coin.coinbase,
                height: coin.height,
                value: btcOfSats(coin.valueSats),
                scriptPubKey: describeScript(coin.script),
              },
            }
          : {}),
        sequence: input.sequence,
      }
    }),
    vout: tx.outputs.map((output, n) => ({
      value: btcOfSats(output.valueSats),
      n,
      scriptPubKey: describeScript(output.script),
    })),
    hex: hexOfTransaction(tx),
  }
}

function describeTest(result: PackageResult) {
  const base = { txid: result.txid, wtxid: result.wtxid }
  if (result.error === 'package-not-fully-validated') return base
  return result.error
    ? {
        ...base,
        allowed: false,
        'reject-reason': result.error,
        'reject-details': result.details ?? result.error,
      }
    : { ...base, allowed: true, vsize: result.vsize, fees: { base: btcOfSats(result.feeSats ?? 0) } }
}

function describeSubmitted(result: PackageResult) {
  return result.error
    ? { txid: result.txid, error: result.details ?? result.error }
    : { txid: result.txid, vsize: result.vsize, fees: { base: btcOfSats(result.feeSats ?? 0) } }
}

/** Serves a node's RPC over HTTP with basic authentication; `credentials` is `user:password`. */
export function serveRpc(node: Node, credentials: string): Server {
  const methods = methodsOf(node)
  const expected = Buffer.from(`Basic ${Buffer.from(credentials).toString('base64')}`)
  const answerOne = (call: any) => {
    const { id = null, method, params = [] } = call ?? {}
    try {
      if (!Object.hasOwn(methods, method)) throw new RpcError(-32601, 'Method not found')
      return { result: methods[method]!(params) ?? null, error: null, id }
    } catch (error) {
      if (error instanceof RpcError)
        return { result: null, error: { code: error.code, message: error.message }, id }
      if (error instanceof RejectError)
        return { result: null, error: { code: -26, message: error.details ?? error.message }, id }
      if (error instanceof BitcoinError)
        return { result: null, error: { code: -5, message: error.message }, id }
      throw error
    }
  }
  // A client that was busy for long may ask again on the connection that it has.
  return createServer({ keepAliveTimeout: 120_000 }, async (request, response) => {
    const file = request.url && restOf(node, request.url)
    if (file !== undefined)
      return void response
        .writeHead(file ? 200 : 404, { 'content-type': 'application/octet-stream' })
        .end(file ?? 'not found')
    const given = Buffer.from(request.headers.authorization ?? '')
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      return void response.writeHead(401).end()
    let status = 200
    let body: unknown
    try {
      const call = JSON.parse(await textOf(request))
      body = Array.isArray(call) ? call.map(answerOne) : answerOne(call)
      if (!Array.isArray(body) && (body as { error: unknown }).error) status = 500
    } catch (error) {
      status = 500
      body = {
        result: null,
        error: { code: -32700, message: error instanceof Error ? error.message : 'Parse error' },
        id: null,
      }
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
}

/** The part of Core's REST interface that ordbook uses, which asks for no credentials; undefined for any other path. */
function restOf({ chain }: Node, path: string): Uint8Array | null | undefined {
  const [, kind, hash] = /^\/rest\/(block|spenttxouts)\/([0-9a-f]{64})\.bin$/.exec(path) ?? []
  if (!kind || !hash) return path.startsWith('/rest/') ? null : undefined
  const block = chain.blocks.get(hash)
  if (!block) return null
  if (kind === 'block') return encodeBlock(block)
  const spent = chain.spentBy(block)
  return spent ? encodeSpent(spent) : null
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
