import { randomBytes } from 'node:crypto'
import { base64OfBytes, bytesOfBase64, bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { publicKeyOf, taprootOutputKey, xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import type { Body } from '@ordbook/sdk/operations.ts'
import { Transaction } from '@scure/btc-signer'
import { RawPSBTV0 } from '@scure/btc-signer/psbt.js'
import { beforeAll, expect, it } from 'vitest'
import { keyHolder, setUpMarket, type TestTrader } from '../../../e2e/support/market.ts'

/** The `escrowForm` field of the API, and PSBTs with more signatures than requested. */
const market = setUpMarket()
let trader: TestTrader
let key: Uint8Array
let slug: string
let ids: string[]
beforeAll(async () => {
  const holder = await keyHolder(market)
  trader = holder.trader
  key = holder.keys.ordinals
  ;({ slug, ids } = await market.collection(trader.wallet, 6))
  await market.anchors(12)
})

const request = (inscriptionId: string, escrowForm?: 'published' | 'wallet') => ({
  walletBindingId: trader.walletBindingId,
  ordinalsPublicKey: trader.wallet.ordinalsPublicKey,
  ...(escrowForm ? { escrowForm } : {}),
  items: [{ inscriptionId, priceSats: 50_000 }],
})
const preflight = (body: Body<'preflightListing'>) =>
  trader.client.call('preflightListing', { params: { slug }, body })

/** Signs with the untweaked key, as most wallets do for a script path. */
function signed(psbtBase64: string, sighash: number): string {
  const psbt = Transaction.fromPSBT(bytesOfBase64(psbtBase64)!, { disableScriptCheck: true })
  if (!psbt.getInput(0).tapLeafScript) psbt.updateInput(0, { tapInternalKey: xOnlyKeyOf(key) }, true)
  psbt.signIdx(key, 0, [sighash])
  return base64OfBytes(psbt.toPSBT(0))
}

/** Returns a signed submit of one listing in the wallet form. `alterLeg` changes the leg's PSBT. */
async function submitOf(inscriptionId: string, alterLeg: (psbtBase64: string) => string = (psbt) => psbt) {
  const body = request(inscriptionId, 'wallet')
  const answer = await preflight(body)
  const [listing] = answer.listings
  const [transfer, leg] = listing!.psbts
  return {
    ...body,
    anchors: [{ inscriptionId, anchorUtxoId: listing!.anchorUtxoId }],
    signed: [
      {
        inscriptionId,
        psbts: [
          { ...transfer!, psbtBase64: signed(transfer!.psbtBase64, 0) },
          { ...leg!, psbtBase64: alterLeg(signed(leg!.psbtBase64, 131)) },
        ],
      },
    ],
    signedRecoveryPsbt: {
      ...answer.recoveryPsbt,
      psbtBase64: signed(answer.recoveryPsbt.psbtBase64, 1),
    },
  }
}

it('requests the untweaked key for the wallet form', async () => {
  const answer = await preflight(request(ids[0]!, 'wallet'))
  const [transfer, leg] = answer.listings[0]!.psbts
  const { ordinalsPublicKey: publicKey } = trader.wallet
  expect(transfer!.inputsToSign[0]).toMatchObject({ publicKey, disableTweakSigner: false })
  expect(leg!.inputsToSign[0]).toMatchObject({ publicKey, disableTweakSigner: true })
  expect(answer.recoveryPsbt.inputsToSign[0]).toMatchObject({ publicKey, disableTweakSigner: true })
  const body = await submitOf(ids[0]!)
  const { listings } = await trader.client.call('submitListing', { params: { slug }, body })
  expect(listings).toHaveLength(1)
})

it('lists in the published form by default', async () => {
  const answer = await preflight(request(ids[1]!))
  expect(answer.listings[0]!.psbts[1]!.inputsToSign[0]).toMatchObject({ disableTweakSigner: false })
})

it('rejects the output key for the wallet form', async () => {
  const ordinalsPublicKey = bytesToHex(taprootOutputKey(xOnlyKeyOf(key)).outputKey)
  await expect(preflight({ ...request(ids[1]!, 'wallet'), ordinalsPublicKey })).rejects.toMatchObject({
    status: 400,
    message: expect.stringMatching(/untweaked/),
  })
  const { escrowForm: _form, ...published } = await submitOf(ids[1]!)
  await expect(
    trader.client.call('submitListing', { params: { slug }, body: published }),
  ).rejects.toMatchObject({ status: 400, message: expect.stringMatching(/escrowForm/) })
})

const SURPLUS = randomBytes(64)
/** Changes the first input of a PSBT. */
function withField(psbtBase64: string, change: (input: any) => void): string {
  const raw = RawPSBTV0.decode(bytesOfBase64(psbtBase64)!)
  change(raw.inputs[0])
  return base64OfBytes(RawPSBTV0.encode(raw))
}

it.each([
  ['a key-path signature', 'escrow-key-path-signed', (input: any) => (input.tapKeySig = SURPLUS)],
  [
    'a signature over another leaf',
    'escrow-other-leaf-signed',
    (input: any) =>
      input.tapScriptSig.push([
        { pubKey: publicKeyOf(key).slice(1), leafHash: new Uint8Array(randomBytes(32)) },
        SURPLUS,
      ]),
  ],
  ['final fields', 'escrow-finalised', (input: any) => (input.finalScriptWitness = [SURPLUS])],
])('rejects %s on an escrow input', async (_what, code, change) => {
  const body = await submitOf(ids[2]!, (psbt) => withField(psbt, change))
  const response = await fetch(`${market.base}/collection/${slug}/listings/submit`, {
    method: 'POST',
    headers: { authorization: `Bearer ${trader.client.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ code })
  const tables = await market.sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`
  expect(tables.length).toBeGreaterThan(20)
  const encodings = [SURPLUS.toString('hex'), SURPLUS.toString('base64')]
  for (const { name } of tables) {
    const [row] = await market.sql<{ found: boolean }[]>`
      select coalesce(bool_or(position(${encodings[0]!} in t::text) > 0 or position(${encodings[1]!} in t::text) > 0), false) as found
      from ${market.sql(name)} t`
    expect(row!.found, name).toBe(false)
  }
})
