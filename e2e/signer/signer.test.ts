import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env, execPath } from 'node:process'
import { text } from 'node:stream/consumers'
import type { PurchaseTerms } from '@ordbook/bitcoin/trade/purchase.ts'
import { hexOfTransaction, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { buy, delist } from '@ordbook/sdk/index.ts'
import { type SettlementRequest, type Signer, SignerRefusal, SpentRefusal } from '@ordbook/signer/requests.ts'
import { readSecret } from '@ordbook/signer/secret.ts'
import { remoteSigner } from '@ordbook/signer-host/client.ts'
import { socketLink } from '@ordbook/signer-host/socket-link.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  agreementFor,
  freshWallet,
  listAll,
  signedPackage,
  startMarket,
  type TestMarket,
  type TestTrader,
  until,
} from '../support/market.ts'

let directory: string
let socket: string
let child: ChildProcess
let market: TestMarket
let seller: TestTrader
let buyer: TestTrader
let signer: Signer

const MAIN = join(import.meta.dirname, '../../signer-host/src/main.ts')
const envOf = (dataDir: string, at: string, overrides: Record<string, string> = {}) => ({
  ...env,
  DATA_DIR: dataDir,
  SIGNER_SOCKET: at,
  LOG_LEVEL: 'silent',
  ...overrides,
})

async function spawnSigner(dataDir: string, at: string, overrides?: Record<string, string>) {
  const spawned = spawn(execPath, [MAIN], {
    env: envOf(dataDir, at, overrides),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await until('the signer', async () => existsSync(at))
  return spawned
}

async function stop(process: ChildProcess, at: string): Promise<void> {
  const exited = new Promise((done) => process.once('exit', done))
  if (process.exitCode === null && process.kill('SIGKILL')) await exited
  rmSync(at, { force: true })
}

const startSigner = async () => void (child = await spawnSigner(directory, socket))
const stopSigner = () => stop(child, socket)

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'ordbook-signer-'))
  socket = join(directory, 'signer.sock')
  await startSigner()
  const secretFile = join(directory, 'signer.secret')
  market = await startMarket({ SIGNER_SOCKET: socket, SIGNER_SECRET_FILE: secretFile, LOG_LEVEL: 'silent' })
  signer = await remoteSigner(socketLink(socket, readSecret(secretFile)))
  seller = await market.trader()
  buyer = await market.trader()
})
afterAll(async () => {
  await market?.stop()
  await stopSigner()
  rmSync(directory, { recursive: true, force: true })
})

const refusalOf = (request: SettlementRequest, change: (terms: PurchaseTerms & any) => void) => {
  const changed = structuredClone(request)
  change(changed.terms)
  return expect(signer.signSettlement(changed)).rejects
}

describe('separate signer', () => {
  it('serves a market whose server has no keys', async () => {
    expect(existsSync(join(market.dataDir, 'coins.key'))).toBe(false)
    const { slug, ids } = await market.collection(seller.wallet, 2)
    await listAll(market, seller, slug, ids, 40_000)
    const bought = await buy(buyer, slug, await agreementFor(market, buyer, ids))
    await market.mine()
    for (const id of ids) expect((await market.coinOf(id)).txid).toBe(bought.settlementTxid)
  })

  it('refuses a second process on its journal, and keeps its socket', async () => {
    const second = spawn(execPath, [MAIN], {
      env: envOf(directory, socket),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [said, [code]] = await Promise.all([text(second.stderr!), once(second, 'exit')])
    expect(code).toBe(1)
    expect(said).toMatch(new RegExp(`^another signer runs on ${directory}: .*\n$`))
    const again = await remoteSigner(socketLink(socket, readSecret(join(directory, 'signer.secret'))))
    expect(again.keys).toEqual(signer.keys)
  })

  it('rejects requests that a server should never make', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 1)
    await listAll(market, seller, slug, ids, 40_000)
    const { request } = await signedPackage(market, buyer, slug, ids)
    const thief = freshWallet()
    await expect(signer.signSettlement(request)).resolves.toHaveLength(2)

    // Reduced payout to the seller, payout to a stranger, inscription or change to a thief.
    await refusalOf(request, (terms) => {
      terms.items[0].terms.payoutSats -= 1
    }).toThrow(/signature of input \d is not valid/)
    await refusalOf(request, (terms) => {
      terms.items[0].terms.payoutScript = thief.paymentScript
    }).toThrow(/signature of input \d is not valid/)
    await refusalOf(request, (terms) => {
      terms.buyerScript = thief.ordinalsScript
    }).toThrow('the signature of input 0 is not valid')
    await refusalOf(request, (terms) => {
      terms.changeScript = thief.paymentScript
    }).toThrow('the signature of input 0 is not valid')
    // A fee rate above the buyer's, or above the policy.
    await refusalOf(request, (terms) => {
      terms.feeRateSatVb = 9
    }).toThrow('the signature of input 0 is not valid')
    await refusalOf(request, (terms) => {
      terms.feeRateSatVb = 501
    }).toThrow('the fee rate exceeds the policy’s maximum')
    // The market's sats to a thief, as a fee, or as a stranger's revenue.
    await refusalOf(request, (terms) => {
      terms.marketScript = thief.ordinalsScript
    }).toThrow('the market’s script or fee coins have a different key')
    await refusalOf(request, (terms) => {
      terms.items[0].terms.anchor.valueSats = 20_000
    }).toThrow('an anchor is not a 330-sat coin of the market')
    await refusalOf(request, (terms) => {
      terms.items[0].marketplaceRevenueSats -= 1000
    }).toThrow(/marketplaceRevenueSats must be >= 0/)
    await refusalOf(request, (terms) => {
      terms.market.publicKey = thief.ordinalsScript.slice(2)
    }).toThrow('the market’s coins have a different key')
    // Another co-signing key in the escrow, no buyer signature, or no items.
    await refusalOf(request, (terms) => {
      terms.items[0].terms.marketKey = thief.ordinalsScript.slice(2)
    }).toThrow('the escrow has a different co-signing key')
    await expect(signer.signSettlement({ ...request, buyerSignatures: [] })).rejects.toThrow(
      'each payment requires a signature of the buyer',
    )
    await expect(
      signer.signSettlement({
        ...request,
        sellers: request.sellers.map((seller) => ({ ...seller, legSignature: seller.transferSignature })),
      }),
    ).rejects.toThrow(SignerRefusal)
    await refusalOf(request, (terms) => {
      terms.items = []
    }).toThrow(SignerRefusal)
  })

  it('moves market coins only to the market', async () => {
    const { coinScript } = signer.keys
    const [coin] = await market.regtest.coinsOf(coinScript)
    const large = { ...coin!, valueSats: 1_000_000 }
    const parents: string[] = []
    const split = { coins: [large], outputSats: [999_000], parents }
    await expect(signer.signCoins(split)).resolves.toMatchObject({ txid: expect.any(String) })
    await expect(signer.signCoins({ ...split, outputSats: [900_000] })).rejects.toThrow(
      /a fee of 100000 sats/,
    )
    await expect(signer.signCoins({ ...split, outputSats: [1_000_001] })).rejects.toThrow(/a fee of -1 sats/)
    const foreign = { ...large, script: freshWallet().ordinalsScript }
    await expect(signer.signCoins({ ...split, coins: [foreign] })).rejects.toThrow(
      'a coin is not a market coin',
    )
    await expect(signer.signCoins({ ...split, outputSats: [999_000, 100] })).rejects.toThrow(SignerRefusal)
    const unrelated = await market.regtest.pay([{ valueSats: 10_000, script: coinScript }])
    await expect(signer.signCoins({ ...split, parents: [hexOfTransaction(unrelated)] })).rejects.toThrow(
      'is not an ancestor of the coins',
    )
    await market.mine()
  })

  it('rejects sats as strings and unknown fields', async () => {
    const { coinScript: script } = signer.keys
    const coin = { txid: '11'.repeat(32), vout: 0, valueSats: 1_000_000_000, script }
    const requestWith = (change: object) =>
      expect(signer.signCoins({ coins: [coin], outputSats: [999_999_000], parents: [], ...change } as never))
        .rejects
    // Strings would be concatenated instead of added, and 999,997,672 sats would go to fees.
    await requestWith({ outputSats: ['999', '999', '330'] }).toThrow(
      'the request/outputSats/0 must be integer',
    )
    await requestWith({ coins: [{ ...coin, valueSats: '1000000000' }] }).toThrow(
      '/coins/0/valueSats must be integer',
    )
    await requestWith({ outputSats: [999_999_000.5] }).toThrow('must be integer')
    await requestWith({ outputSats: [2 ** 53] }).toThrow('must be <=')
    await requestWith({ outputSats: { length: 1, 0: 999_999_000 } }).toThrow('must be array')
    await requestWith({ outputSats: [] }).toThrow('must not have fewer than 1 items')
    await requestWith({ toString: 'me' }).toThrow(SignerRefusal)
    await requestWith({ fee: 1 }).toThrow('the request/fee unknown field')
    await requestWith({ coins: [coin, coin] }).toThrow('a coin is spent twice')
  })

  it('pays fees only for ancestors of its coins', async () => {
    const { coinScript: script } = signer.keys
    const parentOf = (txid: string, inputBytes: number, valueSats: number) => ({
      version: 2,
      locktime: 0,
      inputs: [{ txid, vout: 0, sequence: 0, scriptSig: new Uint8Array(inputBytes), witness: [] }],
      outputs: [{ valueSats, script }],
    })
    const grandparent = parentOf('11'.repeat(32), 0, 1_000_000_000)
    const parent = parentOf(txidOf(grandparent), 0, 1_000_000_000)
    const stranger = parentOf('22'.repeat(32), 90_000, 1)
    const coins = [{ txid: txidOf(parent), vout: 0, valueSats: 1_000_000_000, script }]
    const requestWith = (feeSats: number, parents: object[]) =>
      signer.signCoins({
        coins,
        outputSats: [1_000_000_000 - feeSats],
        parents: parents.map((parent) => hexOfTransaction(parent as never)),
      })
    await expect(requestWith(50_000, [parent, grandparent])).resolves.toMatchObject({
      txid: expect.any(String),
    })
    await expect(requestWith(50_000, [parent, stranger])).rejects.toThrow('is not an ancestor of the coins')
    await expect(requestWith(50_000, [stranger])).rejects.toThrow('is not an ancestor of the coins')
    await expect(requestWith(50_000, [grandparent])).rejects.toThrow('is not an ancestor of the coins')
  })

  it('enforces the fee limits across a restart', async () => {
    const directoryWithCaps = mkdtempSync(join(tmpdir(), 'ordbook-caps-'))
    const at = join(directoryWithCaps, 'signer.sock')
    const caps = { SIGNER_MAX_FEE_PER_CALL_SATS: '6000', SIGNER_MAX_FEE_PER_DAY_SATS: '10000' }
    let process = await spawnSigner(directoryWithCaps, at, caps)
    try {
      const capped = await remoteSigner(socketLink(at, readSecret(join(directoryWithCaps, 'signer.secret'))))
      const requestWith = (feeSats: number, txid = '11'.repeat(32)) => {
        const coin = { txid, vout: 0, valueSats: 1_000_000, script: capped.keys.coinScript }
        // Ten outputs keep the fee rate within the policy, so only the caps apply.
        const lastOutputSats = 1_000_000 - feeSats - 9 * 330
        return capped.signCoins({
          coins: [coin],
          outputSats: [lastOutputSats, ...Array(9).fill(330)],
          parents: [],
        })
      }
      await expect(requestWith(6001)).rejects.toThrow('above SIGNER_MAX_FEE_PER_CALL_SATS (6000)')
      const signed = await requestWith(6000)
      // A second signature of the same transaction is not counted again.
      await expect(requestWith(6000)).resolves.toEqual(signed)
      await expect(requestWith(4001)).rejects.toThrow(SpentRefusal)
      const older = readFileSync(join(directoryWithCaps, 'signer.journal'))
      await requestWith(3000)
      await stop(process, at)
      process = await spawnSigner(directoryWithCaps, at, caps)
      await expect(requestWith(1001, '22'.repeat(32))).rejects.toThrow(
        '1001 more sats would make 10001 in 24 hours, above SIGNER_MAX_FEE_PER_DAY_SATS (10000)',
      )
      await requestWith(1000, '22'.repeat(32))

      // With an outdated or missing journal the signer signs nothing, although it has its keys.
      await stop(process, at)
      const journalText = readFileSync(join(directoryWithCaps, 'signer.journal'))
      writeFileSync(join(directoryWithCaps, 'signer.journal'), older)
      process = await spawnSigner(directoryWithCaps, at, caps)
      await expect(requestWith(0)).rejects.toThrow('signer is not signing')
      await expect(capped.raiseFloors([])).rejects.toThrow('signer is not signing')
      await stop(process, at)
      rmSync(join(directoryWithCaps, 'signer.journal'))
      const refused = spawn(execPath, [MAIN], { env: envOf(directoryWithCaps, at, caps), stdio: 'ignore' })
      expect(await new Promise((done) => refused.once('exit', done))).toBe(1)
      // A manual reset gives the journal a new identity, and the market rejects it.
      process = await spawnSigner(directoryWithCaps, at, { ...caps, RESET_JOURNAL: 'on' })
      await expect(requestWith(0)).rejects.toThrow('signer is not signing')
      await stop(process, at)
      writeFileSync(join(directoryWithCaps, 'signer.journal'), journalText)
      process = await spawnSigner(directoryWithCaps, at, caps)
      await expect(requestWith(0)).resolves.toMatchObject({ txid: expect.any(String) })
    } finally {
      await stop(process, at)
      rmSync(directoryWithCaps, { recursive: true, force: true })
    }
  })

  it('restores delistings from its journal', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 1)
    const listed = await listAll(market, seller, slug, ids, 40_000)
    const { request } = await signedPackage(market, buyer, slug, ids)
    await delist(seller, slug, [{ inscriptionId: ids[0]!, listingId: listed.get(ids[0]!)! }])
    await expect(signer.signSettlement(request)).rejects.toThrow(/was revoked/)
    await stopSigner()
    await startSigner()
    await expect(signer.signSettlement(request)).rejects.toThrow(/was revoked/)
    // After a relisting at another price, the market's jobs revoke the old listing at the signer.
    await listAll(market, seller, slug, ids, 40_000)
    const { request: dearer } = await signedPackage(market, buyer, slug, ids)
    await listAll(market, seller, slug, ids, 30_000)
    await until('the revocation', () =>
      signer.signSettlement(dearer).then(
        () => false,
        (error: Error) => error.message.includes('was revoked'),
      ),
    )
  })

  it('rejects clients without the secret', async () => {
    const stranger = socketLink(socket, new Uint8Array(32).fill(1))
    await expect(remoteSigner(stranger)).rejects.toThrow('signer is unavailable')
    const answer = await new Promise<string>((done) => {
      const plain = connect(socket, () => plain.write('POST /keys HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}'))
      let text = ''
      plain.on('data', (chunk) => (text += chunk.toString('latin1')))
      plain.on('error', () => done(text)).on('close', () => done(text))
    })
    expect(answer).not.toContain('cosignKey')
    await expect(signer.signSettlement({ nonsense: true } as never)).rejects.toThrow(SignerRefusal)
    await expect(signer.signCoins(null as never)).rejects.toThrow(SignerRefusal)
  })

  it('returns 503 above the daily limit', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 1)
    await listAll(market, seller, slug, ids, 40_000)
    const agreement = await agreementFor(market, buyer, ids)
    await stopSigner()
    child = await spawnSigner(directory, socket, { SIGNER_MAX_FEE_PER_DAY_SATS: '330' })
    await expect(buy(buyer, slug, agreement)).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('has reached its limit on network fees'),
    })
    await stopSigner()
    await startSigner()
    await buy(buyer, slug, await agreementFor(market, buyer, ids))
    await market.mine()
  })

  it('returns 503 while the signer is down', async () => {
    const { slug, ids } = await market.collection(seller.wallet, 1)
    await listAll(market, seller, slug, ids, 40_000)
    const agreement = await agreementFor(market, buyer, ids)
    await stopSigner()
    await expect(buy(buyer, slug, agreement)).rejects.toMatchObject({ status: 503 })
    await startSigner()
    await buy(buyer, slug, await agreementFor(market, buyer, ids))
    await market.mine()
    writeFileSync(join(directory, 'bad.secret'), 'short')
    expect(() => readSecret(join(directory, 'bad.secret'))).toThrow('64 lower-case hex digits')
  })
})
