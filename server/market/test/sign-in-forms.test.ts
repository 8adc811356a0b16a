import { base64OfBytes, bytesOfBase64, bytesToHex, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import { messagePsbtOf } from '@ordbook/bitcoin/message-psbt.ts'
import type { LocalWallet } from '@ordbook/sdk/wallet.ts'
import { Transaction } from '@scure/btc-signer'
import { describe, expect, it } from 'vitest'
import { freshWallet, setUpMarket, startTogether } from '../../../e2e/support/market.ts'
import { visit } from '../../../e2e/support/storefront.ts'

const market = setUpMarket()

/** Signs the challenge of an address as a PSBT, for wallets that cannot sign messages. */
async function signedChallenge(wallet: LocalWallet, address: string, message: string): Promise<string> {
  const [script, key] =
    address === wallet.ordinalsAddress
      ? [wallet.ordinalsScript, wallet.ordinalsPublicKey]
      : [wallet.paymentScript, wallet.paymentPublicKey]
  return wallet.signPsbt(messagePsbtOf(script, message, hexToBytes(key)), [{ address, signingIndexes: [0] }])
}

/** Starts a sign-in and returns the body that finishes it, with a signature for each challenge. */
async function verificationOf(
  { ordinalsAddress, paymentAddress }: LocalWallet,
  sign: (challenge: { role: string; address: string; message: string }) => Promise<string>,
) {
  const begun = await visit(market.server.url, '/web/v1/session/challenge', {
    body: { ordinalsAddress, paymentAddress },
  })
  const { authRequestId, challenges } = begun.body
  const verifications = []
  for (const challenge of challenges) {
    const { challengeId, address } = challenge
    verifications.push({ challengeId, address, signature: await sign(challenge) })
  }
  return { authRequestId, verifications }
}

const openSession = (body: unknown) => visit(market.server.url, '/web/v1/session', { body })

/** Signs in with signatures of a form. Returns status and body of the response. */
const signIn = async (wallet: LocalWallet, form: (signedPsbt: string) => string) =>
  openSession(
    await verificationOf(wallet, async ({ address, message }) =>
      form(await signedChallenge(wallet, address, message)),
    ),
  )

const fullOf = (psbt: string) => {
  const tx = Transaction.fromPSBT(bytesOfBase64(psbt)!, {
    allowUnknownVersion: true,
    allowUnknownOutputs: true,
  })
  tx.finalize()
  return base64OfBytes(tx.extract())
}
const FORMS: Record<string, (signedPsbt: string) => string> = {
  'a signed PSBT in hex': (psbt) => bytesToHex(bytesOfBase64(psbt)!),
  'a signed PSBT in base64': (psbt) => psbt,
  'BIP-322 full': fullOf,
  'BIP-322 full with its prefix': (psbt) => `ful${fullOf(psbt)}`,
}

describe.each(Object.entries(FORMS))('sign-in by %s', (_, form) => {
  it.each(['p2tr', 'p2wpkh', 'p2sh-p2wpkh'] as const)(
    'opens a session for a %s payment address',
    async (kind) => {
      const wallet = freshWallet(kind)
      const { status, body } = await signIn(wallet, form)
      expect(status, JSON.stringify(body)).toBe(200)
      expect(body.walletBindings).toMatchObject([{ paymentAddress: wallet.paymentAddress }])
    },
  )
})

it('accepts a BIP-322 signature with its prefix', async () => {
  const wallet = freshWallet('p2sh-p2wpkh')
  const signed = async (prefix: string) =>
    openSession(
      await verificationOf(wallet, async ({ address, message }) => {
        const signature = await wallet.signMessage(address, message)
        return prefix + base64OfBytes(hexToBytes(signature))
      }),
    )
  expect((await signed('smp')).status).toBe(200)
  const { status, body } = await signed('pof')
  expect([status, body.code]).toEqual([401, 'challenge-signature-invalid'])
  expect(body.message ?? body.error).toMatch(/proof of funds/)
})

it('accepts upper-case addresses', async () => {
  const wallet = freshWallet('p2wpkh')
  const upper = (address: string) => address.toUpperCase()
  const begun = await visit(market.server.url, '/web/v1/session/challenge', {
    body: {
      ordinalsAddress: upper(wallet.ordinalsAddress),
      paymentAddress: upper(wallet.paymentAddress),
    },
  })
  const verifications = []
  for (const { challengeId, address, message } of begun.body.challenges)
    verifications.push({
      challengeId,
      address: upper(address),
      signature: await wallet.signMessage(address, message),
    })
  const { status, body } = await openSession({ authRequestId: begun.body.authRequestId, verifications })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.walletBindings).toMatchObject([{ ordinalsAddress: wallet.ordinalsAddress }])
  const rows = await market.sql<{ key: string }[]>`
    select encode(payment_key, 'hex') as key from wallet_bindings where payment_script = ${wallet.paymentScript}`
  expect(rows).toEqual([{ key: wallet.paymentPublicKey }])
})

it('returns 401 for a BIP-137 signature', async () => {
  const signature = base64OfBytes(new Uint8Array(65).fill(31))
  const { status, body } = await openSession(await verificationOf(freshWallet(), async () => signature))
  expect([status, body.code]).toEqual([401, 'challenge-signature-invalid'])
  expect(body.error).toContain(
    'is a signature of BIP-137. Sign the message as BIP-322 simple (smp) or full (ful)',
  )
})

it('returns 401 for an unsigned PSBT', async () => {
  const wallet = freshWallet('p2wpkh')
  const unsigned = messagePsbtOf(wallet.ordinalsScript, 'x', hexToBytes(wallet.ordinalsPublicKey))
  const other = await signedChallenge(wallet, wallet.ordinalsAddress, 'another text')
  for (const psbt of [unsigned, other]) {
    const { status, body } = await signIn(wallet, () => bytesToHex(bytesOfBase64(psbt)!))
    expect([status, body.code]).toEqual([401, 'challenge-signature-invalid'])
    expect(body.message ?? body.error).toMatch(/BIP-322 simple or full/)
  }
})

it('stores the payment key from the signature', async () => {
  const wallet = freshWallet('p2sh-p2wpkh')
  await signIn(wallet, FORMS['a signed PSBT in hex']!)
  const rows = await market.sql<{ key: string }[]>`
    select encode(payment_key, 'hex') as key from wallet_bindings where payment_script = ${wallet.paymentScript}`
  expect(rows).toEqual([{ key: wallet.paymentPublicKey }])
})

it.each(['ordinals', 'payment'])('returns 401 if another key signs for the %s address', async (wrongRole) => {
  const [wallet, other] = [freshWallet(), freshWallet()]
  const { status, body } = await openSession(
    await verificationOf(wallet, ({ role, address, message }) =>
      role === wrongRole
        ? other.signMessage(role === 'ordinals' ? other.ordinalsAddress : other.paymentAddress, message)
        : wallet.signMessage(address, message),
    ),
  )
  expect([status, body.code]).toEqual([401, 'challenge-signature-invalid'])
  expect(body.error).toContain(`signature of the ${wrongRole} challenge`)
})

it('opens one session for two concurrent requests', async () => {
  const wallet = freshWallet()
  const body = await verificationOf(wallet, ({ address, message }) => wallet.signMessage(address, message))
  const finish = async () => {
    const { status, body: answer } = await openSession(body)
    return [status, answer.code]
  }
  const results = await startTogether(
    market,
    (tx) => tx`select 1 from auth_requests where auth_request_id = ${body.authRequestId} for update`,
    [finish, finish],
  )
  expect(results.map((result) => result.status === 'fulfilled' && result.value).toSorted()).toEqual([
    [200, undefined],
    [409, 'challenge-used'],
  ])
})
