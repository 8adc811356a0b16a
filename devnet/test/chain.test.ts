import { addressOfScript, keySpendOf, scriptOfPublicKey } from '@ordbook/bitcoin/address.ts'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { buildPayment, commitOf, signLayout } from '@ordbook/bitcoin/inscribe.ts'
import { publicKeyOf, signSchnorr } from '@ordbook/bitcoin/keys.ts'
import { satsOfBtc } from '@ordbook/bitcoin/sats.ts'
import { SIGHASH, tapLeafHash, taprootSighash } from '@ordbook/bitcoin/sighash.ts'
import type { Coin, Layout } from '@ordbook/bitcoin/trade/layout.ts'
import {
  decodeTransaction,
  hexOfTransaction,
  SEQUENCE_RBF,
  type Tx,
  txidOf,
  vsizeOf,
  wtxidOf,
} from '@ordbook/bitcoin/transaction.ts'
import { FAUCET_KEY } from '@ordbook/devnet/regtest.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startNode, type TestNode } from '../../e2e/support/node.ts'

/** Tests of the RPC calls that ordbook makes, run on the devnet and on bitcoind. If the results differ, the devnet is wrong. */
let node: TestNode
const call = <T>(method: string, ...params: unknown[]) => node.regtest.call<T>(method, ...params)
const KEY = new Uint8Array(32).fill(21)
const scriptOf = (kind: 'p2tr' | 'p2wpkh' | 'p2sh-p2wpkh') => scriptOfPublicKey(publicKeyOf(KEY), kind)

beforeAll(async () => {
  node = await startNode()
  await node.regtest.mine(110)
})
afterAll(() => node?.stop())

const fund = (kind: 'p2tr' | 'p2wpkh' | 'p2sh-p2wpkh', sats = 1_000_000) =>
  node.regtest.fund(scriptOf(kind), sats)
const pay = (coin: Coin, feeRateSatVb: number, toSats = 50_000, version = 2): Tx => {
  const layout: Layout = {
    version: version as 2 | 3,
    inputs: [
      {
        role: 'payment',
        coin,
        signer: 'buyer',
        spend: { by: 'key', ...keySpendOf(coin.script, publicKeyOf(KEY)) },
      },
    ],
    outputs: [
      { role: 'payout', valueSats: toSats, script: scriptOf('p2tr') },
      { role: 'change', valueSats: 0, script: scriptOf('p2tr') },
    ],
  }
  const size = vsizeOf(signLayout(layout, KEY))
  layout.outputs[1]!.valueSats = coin.valueSats - toSats - Math.ceil(size * feeRateSatVb)
  return signLayout(layout, KEY)
}
const spendOf = (tx: Tx, vout: number): Coin => ({ txid: txidOf(tx), vout, ...tx.outputs[vout]! })
const send = (tx: Tx) => call<string>('sendrawtransaction', hexOfTransaction(tx))
const refusal = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
  } catch (error) {
    return (error as Error).message
  }
  return 'accepted'
}
const testOne = async (tx: Tx) =>
  (
    await call<{ allowed: boolean; 'reject-reason'?: string }[]>('testmempoolaccept', [hexOfTransaction(tx)])
  )[0]!

describe('blocks', () => {
  it('getblock returns consistent data at each verbosity', async () => {
    const coin = await fund('p2wpkh')
    const tx = pay(coin, 2)
    await send(tx)
    const [hash] = await node.regtest.mine()
    const height = await call<number>('getblockcount')
    expect(await call('getblockhash', height)).toBe(hash)
    expect(await call('getbestblockhash')).toBe(hash)
    expect(await call('getblockchaininfo')).toMatchObject({
      chain: 'regtest',
      blocks: height,
      bestblockhash: hash,
    })
    const header = await call<Record<string, unknown>>('getblockheader', hash)
    expect(header).toMatchObject({ hash, height, confirmations: 1, nTx: 2 })
    expect((await call<string>('getblockheader', hash, false)).length).toBe(160)
    const raw = await call<string>('getblock', hash, 0)
    const one = await call<{ tx: string[]; size: number; weight: number }>('getblock', hash, 1)
    expect(one.tx[1]).toBe(txidOf(tx))
    expect(one.size).toBe(raw.length / 2)
    const three = await call<any>('getblock', hash, 3)
    expect(three.weight).toBe(one.weight)
    expect(three.tx[1]).toMatchObject({
      txid: txidOf(tx),
      hash: wtxidOf(tx),
      hex: hexOfTransaction(tx),
      vsize: vsizeOf(tx),
      vin: [
        {
          txid: coin.txid,
          vout: coin.vout,
          prevout: {
            generated: false,
            value: 0.01,
            scriptPubKey: { hex: bytesToHex(coin.script), type: 'witness_v0_keyhash' },
          },
        },
      ],
    })
    expect(satsOfBtc(three.tx[1].vout[0].value)).toBe(50_000)
    expect(three.tx[0].vin[0].coinbase).toBeTypeOf('string')
    expect(decodeTransaction(three.tx[0].hex).outputs[0]!.valueSats).toBe(
      satsOfBtc(three.tx[0].vout[0].value),
    )
    expect(await refusal(call('getblockhash', 100_000))).toBe('Block height out of range')
    expect(await refusal(call('getblock', '0'.repeat(64)))).toBe('Block not found')
    expect(await refusal(call('nonsense'))).toBe('Method not found')
  })

  it('the chain starts at the regtest genesis block', async () => {
    expect(await call('getblockhash', 0)).toBe(
      '0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206',
    )
  })

  it('generateblock mines exactly the given transactions', async () => {
    const coin = await fund('p2tr')
    const low = pay(coin, 0)
    expect((await testOne(low)).allowed).toBe(false)
    await node.regtest.mineExactly([low])
    expect(await call('gettxout', txidOf(low), 0)).toMatchObject({
      confirmations: 1,
      value: 0.0005,
      coinbase: false,
    })
    const doubleSpend = pay(coin, 5)
    expect(await refusal(node.regtest.mineExactly([doubleSpend]))).toMatch(/bad-txns-inputs-missingorspent/)
  })

  it('invalidateblock returns transactions to the mempool', async () => {
    const tx = pay(await fund('p2tr'), 2)
    await send(tx)
    const [hash] = await node.regtest.mine()
    await call('invalidateblock', hash)
    expect(await call('getrawmempool')).toContain(txidOf(tx))
    expect(await call('gettxout', txidOf(tx), 0, false)).toBeNull()
    await call('reconsiderblock', hash)
    expect(await call('getbestblockhash')).toBe(hash)
    expect(await call('getrawmempool')).not.toContain(txidOf(tx))
  })

  it('reconsiderblock includes ancestors and descendants, but no other branches', async () => {
    const hashAt = (height: number) => call<string>('getblockhash', height)
    await node.regtest.mine(2)
    const top = await call<number>('getblockcount')
    const [first, second] = [await hashAt(top - 1), await hashAt(top)]
    await call('invalidateblock', second)
    // To another address, as a block at the same time would be identical.
    const address = addressOfScript(scriptOf('p2wpkh'), 'regtest')
    await call('generatetoaddress', 2, address)
    const [other, longer] = [await hashAt(top), await call('getbestblockhash')]
    await call('invalidateblock', other)
    await call('invalidateblock', first)
    await call('reconsiderblock', second)
    expect(await call('getbestblockhash')).toBe(second)
    await call('invalidateblock', first)
    await call('reconsiderblock', first)
    expect(await call('getbestblockhash')).toBe(longer)
  })
})

describe('spending', () => {
  it.each(['p2tr', 'p2wpkh', 'p2sh-p2wpkh'] as const)('the node verifies %s signatures', async (kind) => {
    const coin = await fund(kind)
    const tx = pay(coin, 2)
    const { witness } = tx.inputs[0]!
    const broken = {
      ...tx,
      inputs: [
        {
          ...tx.inputs[0]!,
          witness: [witness[0]!.map((byte, i) => (i === 12 ? byte ^ 1 : byte)), ...witness.slice(1)],
        },
      ],
    }
    expect((await testOne(broken))['reject-reason']).toMatch(/script-verify-flag-failed/)
    expect((await testOne({ ...tx, inputs: [{ ...tx.inputs[0]!, witness: [] }] })).allowed).toBe(false)
    const richer = {
      ...tx,
      outputs: [{ ...tx.outputs[0]!, valueSats: tx.outputs[0]!.valueSats + 1 }, tx.outputs[1]!],
    }
    expect((await testOne(richer)).allowed).toBe(false)
    expect(await testOne(tx)).toMatchObject({ allowed: true })
    expect(await send(tx)).toBe(txidOf(tx))
    expect(await call('gettxout', coin.txid, coin.vout)).toBeNull()
    expect(await call('gettxout', coin.txid, coin.vout, false)).not.toBeNull()
    expect(await call('gettxspendingprevout', [{ txid: coin.txid, vout: coin.vout }])).toEqual([
      { txid: coin.txid, vout: coin.vout, spendingtxid: txidOf(tx) },
    ])
    expect(await call<object>('getmempoolentry', txidOf(tx))).toMatchObject({
      vsize: vsizeOf(tx),
      ancestorcount: 1,
    })
  })

  it('the node accepts an inscription reveal', async () => {
    const [id] = await node.regtest.inscribe([
      {
        inscription: { contentType: 'text/plain', body: new Uint8Array(2000).fill(65) },
        owner: scriptOf('p2tr'),
        postageSats: 546,
      },
    ])
    expect(await call('gettxout', id!.slice(0, 64), 0)).toMatchObject({ value: 0.00000546 })
  })

  it('the node rejects a script that was not committed to', async () => {
    const { script, leaf, controlBlock } = commitOf(KEY, [
      { contentType: 'text/plain', body: new Uint8Array(3) },
    ])
    const coin = await node.regtest.fund(script, 100_000)
    const tx: Tx = {
      version: 2,
      locktime: 0,
      inputs: [
        {
          txid: coin.txid,
          vout: coin.vout,
          scriptSig: new Uint8Array(),
          sequence: SEQUENCE_RBF,
          witness: [],
        },
      ],
      outputs: [{ valueSats: 90_000, script: scriptOf('p2tr') }],
    }
    const sign = (leafScript: Uint8Array) =>
      signSchnorr(taprootSighash(tx, 0, [coin], SIGHASH.DEFAULT, { leafHash: tapLeafHash(leafScript) }), KEY)
    const spend = (witness: Uint8Array[]) => ({ ...tx, inputs: [{ ...tx.inputs[0]!, witness }] })
    const other = leaf.map((byte, i) => (i === leaf.length - 2 ? byte ^ 1 : byte))
    expect(await refusal(node.regtest.mineExactly([spend([sign(other), other, controlBlock])]))).toMatch(
      /Witness program hash mismatch/,
    )
    expect(await refusal(node.regtest.mineExactly([spend([sign(other), leaf, controlBlock])]))).toMatch(
      /Invalid Schnorr signature/,
    )
    await node.regtest.mineExactly([spend([sign(leaf), leaf, controlBlock])])
  })

  it('the node enforces maturity, locktimes and amounts', async () => {
    const [hash] = await node.regtest.mine()
    const block = await call<{ tx: string[] }>('getblock', hash, 1)
    const value = (await call<{ value: number }>('gettxout', block.tx[0], 0)).value
    const coinbase = {
      txid: block.tx[0]!,
      vout: 0,
      valueSats: satsOfBtc(value),
      script: scriptOfPublicKey(publicKeyOf(FAUCET_KEY), 'p2tr'),
    }
    const early = buildPayment([coinbase], [{ valueSats: 1000, script: scriptOf('p2tr') }], {
      privateKey: FAUCET_KEY,
      feeRateSatVb: 2,
    })
    expect((await testOne(early))['reject-reason']).toBe('bad-txns-premature-spend-of-coinbase')
    const coin = await fund('p2tr')
    expect((await testOne(pay(coin, 2, 2_000_000)))['reject-reason']).toMatch(
      /bad-txns-(in-belowout|vout-negative|vout-toolarge|txouttotal-toolarge)/,
    )
    const height = await call<number>('getblockcount')
    expect((await testOne({ ...pay(coin, 2), locktime: height + 10 }))['reject-reason']).toBe('non-final')
    expect((await testOne(pay(coin, 2, 100)))['reject-reason']).toBe('dust')
  })
})

describe('mempool', () => {
  // BIP-125
  it('replacement by fee evicts descendants', async () => {
    const coin = await fund('p2tr')
    expect((await testOne(pay(coin, 0.05)))['reject-reason']).toMatch(/^min relay fee not met/)
    const first = pay(coin, 2)
    await send(first)
    expect((await testOne(first))['reject-reason']).toBe('txn-already-in-mempool')
    const child = pay(spendOf(first, 1), 2)
    await send(child)
    expect((await testOne(pay(coin, 2, 40_000)))['reject-reason']).toMatch(/^insufficient fee/)
    const second = pay(coin, 20)
    await send(second)
    expect(await call('getrawmempool')).not.toContain(txidOf(child))
    expect(await refusal(send(child))).toMatch(/missingorspent|missing-inputs/)
    await node.regtest.mine()
    expect(await refusal(send(second))).toMatch(/already in utxo set|already known/)
  })

  it('the mempool keeps a child when its parent is mined', async () => {
    const parent = pay(await fund('p2tr'), 2)
    const child = pay(spendOf(parent, 1), 2)
    for (const tx of [parent, child]) await send(tx)
    expect(await call('getmempoolentry', txidOf(child))).toMatchObject({ depends: [txidOf(parent)] })
    await node.regtest.mineExactly([parent])
    expect(await call('getmempoolentry', txidOf(child))).toMatchObject({ ancestorcount: 1, depends: [] })
    await node.regtest.mine()
    expect(await call('gettxout', txidOf(child), 0)).toMatchObject({ confirmations: 1 })
  })

  it('submitpackage keeps a valid parent of an invalid child', async () => {
    const parent = pay(await fund('p2tr'), 2)
    const child = pay(spendOf(parent, 1), 3)
    const both = [parent, child].map(hexOfTransaction)
    const tested = await call<{ allowed: boolean; txid: string }[]>('testmempoolaccept', both)
    expect(tested.map((each) => each.allowed)).toEqual([true, true])
    expect(await call('getrawmempool')).not.toContain(txidOf(parent))
    const broken = { ...child, inputs: [{ ...child.inputs[0]!, witness: [new Uint8Array(64)] }] }
    const refused = await call<any>('submitpackage', [hexOfTransaction(parent), hexOfTransaction(broken)])
    expect(refused.package_msg).not.toBe('success')
    expect(refused['tx-results'][wtxidOf(broken)].error).toMatch(/Invalid Schnorr signature/)
    // Not atomic: the parent stays.
    expect(await call('getrawmempool')).toContain(txidOf(parent))
    const result = await call<any>('submitpackage', both)
    expect(result.package_msg).toBe('success')
    expect(result['tx-results'][wtxidOf(child)]).toMatchObject({ txid: txidOf(child), vsize: vsizeOf(child) })
    expect(await call('getrawmempool')).toContain(txidOf(child))
  })

  it('submitpackage accepts a zero-fee TRUC parent with its child', async () => {
    // BIP-431: version 3 transactions relay as a parent with one child.
    const parent = pay(await fund('p2tr'), 0, 50_000, 3)
    expect((await testOne(parent)).allowed).toBe(false)
    const child = pay(spendOf(parent, 1), 5, 50_000, 3)
    const old = pay(spendOf(parent, 1), 5, 50_000, 2)
    expect((await call<any>('submitpackage', [parent, old].map(hexOfTransaction))).package_msg).not.toBe(
      'success',
    )
    expect((await call<any>('submitpackage', [parent, child].map(hexOfTransaction))).package_msg).toBe(
      'success',
    )
    expect(await refusal(send(pay(spendOf(parent, 0), 5, 10_000, 3)))).toMatch(/insufficient fee/)
    await node.regtest.mine()
    expect(await call('gettxout', txidOf(child), 0)).toMatchObject({ confirmations: 1 })
  })

  it('submitpackage rejects a zero-fee version 2 parent', async () => {
    const parent = pay(await fund('p2tr'), 0)
    const child = pay(spendOf(parent, 1), 20)
    const result = await call<any>('submitpackage', [parent, child].map(hexOfTransaction))
    expect(result.package_msg).not.toBe('success')
    expect(result['tx-results'][wtxidOf(parent)].error).toMatch(/min relay fee not met/)
  })
})

describe('lookups', () => {
  it('scantxoutset finds coins by script', async () => {
    const script = scriptOfPublicKey(publicKeyOf(new Uint8Array(32).fill(77)), 'p2wpkh')
    const coin = await node.regtest.fund(script, 123_456)
    const found = await call<any>('scantxoutset', 'start', [`raw(${bytesToHex(script)})`])
    expect(found).toMatchObject({ success: true, total_amount: 0.00123456 })
    expect(found.unspents).toMatchObject([
      { txid: coin.txid, vout: coin.vout, amount: 0.00123456, coinbase: false },
    ])
    const byAddress = await call<any>('scantxoutset', 'start', [
      `addr(${addressOfScript(script, 'regtest')})`,
    ])
    expect(byAddress.unspents).toHaveLength(1)
    expect(await call('getrawtransaction', coin.txid, true)).toMatchObject({
      txid: coin.txid,
      confirmations: 1,
    })
    expect(await refusal(call('getrawtransaction', '0'.repeat(64)))).toMatch(/No such mempool/)
    expect(await call<object>('estimatesmartfee', 2)).toMatchObject({ blocks: expect.any(Number) })
    expect(await call<object>('getmempoolinfo')).toMatchObject({ loaded: true, minrelaytxfee: 0.000001 })
  })

  it('a restart preserves the chain and the mempool', async () => {
    const tx = pay(await fund('p2tr'), 2)
    await send(tx)
    const height = await call<number>('getblockcount')
    await node.restart()
    for (
      let elapsed = 0;
      elapsed < 5000 && !(await call<{ loaded: boolean }>('getmempoolinfo')).loaded;
      elapsed += 50
    )
      await new Promise((done) => setTimeout(done, 50))
    expect(await call('getblockcount')).toBe(height)
    expect(await call('getrawmempool')).toContain(txidOf(tx))
    if (node.kind === 'devnet') {
      const [hash] = await node.regtest.mine()
      await node.restart('SIGKILL')
      expect(await call('getbestblockhash')).toBe(hash)
    }
  })
})
