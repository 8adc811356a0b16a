import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatOutpoint } from '@ordbook/bitcoin/outpoint.ts'
import { atOnce } from '@ordbook/bitcoin/steps.ts'
import { buildMove, escrowCoinOf, type ListingTerms, movedCoinOf } from '@ordbook/bitcoin/trade/listing.ts'
import { localGuardian } from '@ordbook/signer/guardian/guardian.ts'
import { makeJournal } from '@ordbook/signer/journal-files.ts'
import { localSigner } from '@ordbook/signer/local.ts'
import { checkedSettlement } from '@ordbook/signer/policy.ts'
import { SignerRefusal, SpentRefusal } from '@ordbook/signer/requests.ts'
import { revocationsIn } from '@ordbook/signer/revocations.ts'
import { memoryIn } from '@ordbook/signer/signer-state.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { signedTrades, validRequests } from './support/signer-requests.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ordbook-policy-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const seeds = { cosign: new Uint8Array(randomBytes(32)), coins: new Uint8Array(randomBytes(32)) }
const signerWith = (mostCallSats = 20_000, mostDaySats = 1_000_000) => {
  const file = join(folder, 'signer.journal')
  makeJournal(file)
  return localSigner(seeds, { maxFeeRateSatVb: 500, mostCallSats }, memoryIn(file, mostDaySats))
}
/** Returns the signatures in a request. Omits signatures of confirmed transfers, which the signer does not use. */
function signaturesOf(request: any, key = ''): Uint8Array[] {
  if (request instanceof Uint8Array) return /signatures?$/i.test(key) ? [request] : []
  if (Array.isArray(request)) return request.flatMap((each) => signaturesOf(each, key))
  if (!request || typeof request !== 'object') return []
  const isConfirmed = request.terms?.items?.every((item: any) => item.transferConfirmed)
  return Object.entries(request).flatMap(([name, value]) =>
    isConfirmed && name === 'sellers'
      ? (value as any[]).map((seller) => seller.legSignature)
      : signaturesOf(value, name),
  )
}
const outpointOf = (terms: ListingTerms) => formatOutpoint(escrowCoinOf(terms))

it('signs every kind of request deterministically', async () => {
  const signer = signerWith()
  for (const [call, request] of validRequests(signer.keys, 'every').calls) {
    if (!call.startsWith('sign')) continue
    const sign = () => (signer as any)[call](request)
    expect(await sign(), call).toEqual(await sign())
  }
})

it('rejects every kind of request with a wrong signature', async () => {
  const signer = signerWith()
  let refused = 0
  for (const [call, request] of validRequests(signer.keys, 'wrong').calls)
    for (const n of signaturesOf(request).keys()) {
      const broken = structuredClone(request)
      signaturesOf(broken)[n]![10]! ^= 1
      await expect((signer as any)[call](broken), `${call}, signature ${n}`).rejects.toThrow('is not valid')
      refused++
    }
  expect(refused).toBeGreaterThan(15)
})

describe('generations', () => {
  it('rejects legs below a raised minimum generation', async () => {
    const signer = signerWith()
    for (const form of ['published', 'wallet'] as const) {
      const { listing, purchase, reclaim, move } = signedTrades(signer.keys, form)
      const first = listing(form, 0)
      const second = { ...first, generation: 1, payoutSats: 70_000 }
      await signer.raiseFloors([{ outpoint: outpointOf(first), floor: 1 }])
      await expect(signer.signSettlement(purchase([first], false))).rejects.toThrow(/leg 0 .* was revoked/)
      await expect(signer.signSettlement(purchase([second], false))).resolves.toHaveLength(2)
      // A delisting raises the minimum to one above the highest generation.
      await signer.raiseFloors([{ outpoint: outpointOf(first), floor: 2 }])
      await expect(signer.signSettlement(purchase([second], true))).rejects.toThrow(/leg 1 .* was revoked/)
      await expect(signer.signReclaim(reclaim([first]))).resolves.toMatchObject({ txid: expect.any(String) })
      await expect(signer.signMove(move([first], 'wallet'))).resolves.toMatchObject({
        txid: expect.any(String),
      })
      expect(await signer.floors([outpointOf(first), `${'00'.repeat(32)}:1`])).toEqual([
        { outpoint: outpointOf(first), floor: 2, next: 3 },
        { outpoint: `${'00'.repeat(32)}:1`, floor: 0, next: 0 },
      ])
    }
  })

  it('rejects a second price for a generation', async () => {
    const signer = signerWith()
    const { listing, purchase } = signedTrades(signer.keys, 'price')
    const expensive = listing('wallet', 3)
    const cheap = { ...expensive, payoutSats: 10_000 }
    await signer.signSettlement(purchase([expensive], true))
    await expect(signer.signSettlement(purchase([cheap], true))).rejects.toThrow(
      'was signed for a different price. Use a new generation for each price',
    )
    await expect(signer.signSettlement(purchase([expensive], true))).resolves.toHaveLength(1)
    await expect(signer.signSettlement(purchase([{ ...cheap, generation: 4 }], true))).resolves.toHaveLength(
      1,
    )
  })

  it("verifies the seller's signature on a generation", async () => {
    const signer = signerWith()
    const { listing, purchase } = signedTrades(signer.keys, 'claim')
    const terms = listing('wallet', 0)
    const request = purchase([terms], true)
    const [item] = request.terms.items
    const lied = {
      ...request,
      terms: { ...request.terms, items: [{ ...item!, terms: { ...terms, generation: 1 } }] },
    }
    await expect(signer.signSettlement(lied)).rejects.toThrow(/signature of input \d is not valid/)
    for (const generation of [-1, -2, 2 ** 31, 4294967293])
      await expect(
        signer.signSettlement({
          ...request,
          terms: { ...request.terms, items: [{ ...item!, terms: { ...terms, generation } }] },
        }),
      ).rejects.toThrow(/generation must be/)
  })

  it('restarts generations at 0 on a moved coin', async () => {
    const signer = signerWith()
    const { listing, purchase, move, anchor } = signedTrades(signer.keys, 'moved')
    const old = listing('published', 5)
    await signer.raiseFloors([{ outpoint: outpointOf(old), floor: 6 }])
    await signer.signMove(move([old], 'wallet'))
    const movedTo = movedCoinOf(buildMove([old], 'wallet', [anchor()]), 0)
    const terms: ListingTerms = { ...old, escrowForm: 'wallet', movedTo, generation: 0 }
    await expect(signer.signSettlement(purchase([terms], true))).resolves.toHaveLength(1)
    await expect(signer.signSettlement(purchase([terms], false))).rejects.toThrow(
      'a moved escrow coin cannot have an unconfirmed transfer',
    )
  })
})

describe("the market's sats", () => {
  it('rejects a purchase that costs the market sats', () => {
    const { keys } = signerWith()
    const { listing, purchase } = signedTrades(keys, 'loss')
    const request = purchase([listing('wallet', 0)], true)
    const [item] = request.terms.items
    const settle = (marketplaceRevenueSats: number) =>
      atOnce(
        checkedSettlement(
          { ...request, terms: { ...request.terms, items: [{ ...item!, marketplaceRevenueSats }] } },
          keys,
          { maxFeeRateSatVb: 500, mostCallSats: 20_000 },
        ),
      )
    expect(() => settle(item!.marketplaceRevenueSats)).not.toThrow()
    expect(() => settle(-1)).toThrow('the settlement would cost the market 1 sats')
  })

  it('limits the market coins spent on a reclaim', async () => {
    const signer = signerWith()
    const { listing, reclaim, coin } = signedTrades(signer.keys, 'fees')
    const escrows = [listing('wallet', 0)]
    const coinScript = signer.keys.coinScript
    await expect(signer.signReclaim(reclaim(escrows, [coin(20_000, coinScript)]))).resolves.toBeTruthy()
    const expensive = reclaim(escrows, [coin(20_001, coinScript)])
    await expect(signer.signReclaim(expensive)).rejects.toThrow(SpentRefusal)
    await expect(signer.signReclaim(expensive)).rejects.toThrow(
      'the market would pay 20001 sats in fees, above SIGNER_MAX_FEE_PER_CALL_SATS (20000)',
    )
    await expect(signer.signReclaim(reclaim(escrows, [coin(500_000, coinScript)]))).rejects.toThrow(
      'outside the policy’s range',
    )
    const foreign = coin(330, escrows[0]!.inscriptionCoin.script)
    await expect(signer.signReclaim(reclaim(escrows, [foreign]))).rejects.toThrow(
      'a fee coin is not a market coin',
    )
    const [one] = [coin(330, coinScript)]
    await expect(signer.signReclaim(reclaim(escrows, [one!, one!]))).rejects.toThrow('a coin is spent twice')
    await expect(
      signer.signReclaim({ ...reclaim([...escrows, ...escrows]), feeCoins: [one!] }),
    ).rejects.toThrow('a coin is spent twice')
  })

  it('counts true coin values after a misstated request', async () => {
    const signer = signerWith(20_000, 20_000)
    const script = signer.keys.coinScript
    const signSplit = (txid: string, feeSats: number, saidSats = feeSats) =>
      signer.signCoins({
        coins: [{ txid, vout: 0, valueSats: 500_000 + saidSats, script }],
        outputSats: [...Array(99).fill(330), 500_000 - 99 * 330],
        parents: [],
      })
    const txids = ['11', '22', '33'].map((byte) => byte.repeat(32))
    // Both requests have the same txid. Only the stated values of the coins differ.
    for (const txid of txids) await signSplit(txid, 10_000, 1)
    await signSplit(txids[0]!, 9_000)
    await signSplit(txids[1]!, 9_000)
    await expect(signSplit(txids[2]!, 9_000)).rejects.toThrow('above SIGNER_MAX_FEE_PER_DAY_SATS')
    await expect(signSplit(txids[1]!, 9_000)).resolves.toBeTruthy()
  })

  it('counts the sats of transfers', async () => {
    const signer = signerWith(20_000, 700)
    const { listing, purchase } = signedTrades(signer.keys, 'transfers')
    const [one, other, third] = [0, 0, 0].map(() => listing('wallet', 0))
    await signer.signSettlement(purchase([one!, other!], false))
    // The same transfers with other payments. Only one of the settlements can be broadcast.
    await signer.signSettlement(purchase([one!], false))
    await expect(signer.signSettlement(purchase([third!], false))).rejects.toThrow(
      'above SIGNER_MAX_FEE_PER_DAY_SATS',
    )
    await expect(signer.signSettlement(purchase([third!], true))).resolves.toHaveLength(1)
  })
})

it('rejects a key that is not a point on the curve', async () => {
  const signer = signerWith()
  const { listing, purchase } = signedTrades(signer.keys, 'curve')
  const terms = listing('published', 0)
  const request = purchase([terms], true)
  const [item] = request.terms.items
  const publicKey = new Uint8Array(32).fill(0xff)
  const script = Uint8Array.of(0x51, 0x20, ...publicKey)
  const broken = {
    ...terms,
    seller: { ...terms.seller, publicKey },
    inscriptionCoin: { ...terms.inscriptionCoin, script },
  }
  await expect(
    signer.signSettlement({ ...request, terms: { ...request.terms, items: [{ ...item!, terms: broken }] } }),
  ).rejects.toThrow(SignerRefusal)
})

it('parses requests to the guardian', async () => {
  const file = join(folder, 'guardian.journal')
  makeJournal(file)
  const guardian = localGuardian(seeds.cosign, async () => true, revocationsIn(file))
  for (const request of [null, {}, { terms: {}, asked: {} }, []])
    await expect(guardian.lock(request as never)).rejects.toThrow('the request')
  await expect(guardian.release({ satOffset: '0' } as never)).rejects.toThrow('the request')
  await expect(guardian.revoke([{ id: 'no hash', expiresAt: 0 }])).rejects.toThrow('must match pattern')
  await guardian.revoke([{ id: 'ab'.repeat(32), expiresAt: 0 }])
  expect(await guardian.revoked(['ab'.repeat(32), 'cd'.repeat(32)])).toEqual(['ab'.repeat(32)])
  expect(guardian.mark().lines).toBe(1)
})
