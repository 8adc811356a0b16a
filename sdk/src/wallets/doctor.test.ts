import { base64OfBytes, bytesOfBase64 } from '@ordbook/bitcoin/bytes.ts'
import { sha256 } from '@ordbook/bitcoin/keys.ts'
import { previousTransactionsOf, unsignedTransactionOf } from '@ordbook/bitcoin/psbt.ts'
import { txidOf } from '@ordbook/bitcoin/transaction.ts'
import { Transaction } from '@scure/btc-signer'
import { expect, it } from 'vitest'
import { WalletDeclined } from '../errors.ts'
import { type InputToSign, LocalWallet, type SigningRequest, type Wallet } from '../wallet.ts'
import { type Diagnosis, examineWallet, flowsBy } from './doctor.ts'
import { FLOWS, KINDS, type Kind } from './flows.ts'

const keyOf = (name: string) => sha256(new TextEncoder().encode(`doctor test ${name}`))
const keys = { ordinals: keyOf('ordinals'), payment: keyOf('payment') }
const GOOD = Object.fromEntries(KINDS.map((kind) => [kind, null])) as Diagnosis

/** A correct wallet; subclasses override its behaviour. */
class TestWallet extends LocalWallet {
  requests: string[] = []
  constructor(paymentKind: 'p2wpkh' | 'p2sh-p2wpkh' | 'p2tr' = 'p2wpkh', from = keys) {
    super(from, { network: 'regtest', paymentKind })
  }
  override async signPsbt(psbtBase64: string, inputs: readonly InputToSign[]): Promise<string> {
    this.requests.push(psbtBase64)
    return this.answer(psbtBase64, inputs)
  }
  protected answer(psbtBase64: string, inputs: readonly InputToSign[]): Promise<string> {
    return super.signPsbt(psbtBase64, inputs)
  }
}

it.each(['p2wpkh', 'p2sh-p2wpkh', 'p2tr'] as const)('reports no problems for a %s wallet', async (kind) => {
  expect(await examineWallet(new TestWallet(kind))).toEqual(GOOD)
  expect(Object.values(flowsBy(GOOD))).toEqual(Object.keys(FLOWS).map(() => null))
})

it('examines a wallet with a single address', async () => {
  const key = keyOf('one')
  expect(await examineWallet(new TestWallet('p2tr', { ordinals: key, payment: key }))).toEqual(GOOD)
})

it('requests only PSBTs that cannot be broadcast', async () => {
  const wallet = new TestWallet()
  await examineWallet(wallet)
  expect(wallet.requests).toHaveLength(KINDS.length - 1)
  for (const psbt of wallet.requests) {
    const { inputs } = unsignedTransactionOf(psbt)
    for (const [n, previous] of previousTransactionsOf(psbt).entries()) {
      expect(txidOf(previous!)).toBe(inputs[n]!.txid)
      // Unsigned, and its input spends a made-up txid.
      expect(previous!.inputs).toMatchObject([{ witness: [], scriptSig: new Uint8Array() }])
    }
  }
})

const rejecting = (...types: number[]) =>
  new (class extends TestWallet {
    protected override async answer(psbt: string, inputs: readonly InputToSign[]) {
      if (inputs.some(({ sigHash }) => sigHash !== undefined && types.includes(sigHash)))
        throw new Error('Sighash type is not allowed')
      return super.answer(psbt, inputs)
    }
  })()

it('reports unsupported signature kinds', async () => {
  const diagnosis = await examineWallet(rejecting(131))
  expect(diagnosis).toEqual({ ...GOOD, sale: 'Sighash type is not allowed' })
  const fails = Object.entries(flowsBy(diagnosis)).filter(([, reason]) => reason !== null)
  expect(fails.map(([flow]) => flow)).toEqual(['list', 'delist'])
})

function altering(change: (psbt: Transaction) => void, when: 'before' | 'after'): TestWallet {
  const changed = (base64: string) => {
    const psbt = Transaction.fromPSBT(bytesOfBase64(base64)!, {
      allowUnknownInputs: true,
      allowUnknownOutputs: true,
      allowUnknownVersion: true,
      disableScriptCheck: true,
    })
    change(psbt)
    return base64OfBytes(psbt.toPSBT(0))
  }
  return new (class extends TestWallet {
    protected override async answer(psbt: string, inputs: readonly InputToSign[]) {
      return when === 'before'
        ? super.answer(changed(psbt), inputs)
        : changed(await super.answer(psbt, inputs))
    }
  })()
}

it.each<[string, TestWallet, Partial<Record<Kind, RegExp>>]>([
  [
    'leaves a leaf unsigned',
    altering((psbt) => psbt.updateInput(0, { tapScriptSig: undefined }, true), 'after'),
    Object.fromEntries(
      ['sale', 'counter', 'recovery', 'exit'].map((kind) => [kind, /input 0 is not signed/]),
    ),
  ],
  [
    'signs the key path of an escrow',
    altering((psbt) => {
      if (psbt.getInput(0).tapLeafScript) psbt.updateInput(0, { tapKeySig: new Uint8Array(64) }, true)
    }, 'after'),
    Object.fromEntries(['sale', 'counter', 'recovery'].map((kind) => [kind, /signed the key path/])),
  ],
  [
    'alters a transaction',
    altering((psbt) => {
      const [amount] = [psbt.getOutput(0).amount!]
      psbt.updateOutput(0, { amount: amount - 1n }, true)
    }, 'before'),
    Object.fromEntries(
      KINDS.filter((kind) => kind !== 'message').map((kind) => [kind, /differs from the prepared one/]),
    ),
  ],
])('reports a wallet that %s', async (_, wallet, expected) => {
  const diagnosis = await examineWallet(wallet)
  for (const kind of KINDS) {
    if (expected[kind]) expect(diagnosis[kind], kind).toMatch(expected[kind])
    else expect(diagnosis[kind], kind).toBeNull()
  }
})

it('reports a message signed with another key', async () => {
  const wallet = new TestWallet()
  const other = new TestWallet('p2wpkh', { ordinals: keyOf('other'), payment: keys.payment })
  wallet.signMessage = (address, message) =>
    address === wallet.ordinalsAddress
      ? other.signMessage(other.ordinalsAddress, message)
      : other.signMessage(address, message)
  expect((await examineWallet(wallet)).message).toMatch(/not a valid BIP-322 signature/)
})

function batching(signPsbts: (requests: readonly SigningRequest[], own: TestWallet) => Promise<string[]>) {
  const own = new TestWallet()
  const wallet: Wallet = own
  wallet.signPsbts = (requests) => signPsbts(requests, own)
  return own
}

it('signs one by one if the wallet rejects a batch', async () => {
  let calls = 0
  const once = batching((requests, own) => {
    calls++
    return Promise.all(
      requests.map(({ psbtBase64, inputsToSign }) =>
        LocalWallet.prototype.signPsbt.call(own, psbtBase64, inputsToSign),
      ),
    )
  })
  expect(await examineWallet(once)).toEqual(GOOD)
  expect([calls, once.requests]).toEqual([1, []])

  const alone = batching(async () => {
    throw new Error('too many')
  })
  expect(await examineWallet(alone)).toEqual(GOOD)
  expect(alone.requests).toHaveLength(KINDS.length - 1)

  // Missing results count as failures of their kinds.
  const few = await examineWallet(batching(async () => []))
  expect(few).toMatchObject({ message: null, transfer: expect.any(String), exit: expect.any(String) })
})

it('stops when the user declines', async () => {
  const wallet = batching(async () => {
    throw new WalletDeclined('not now')
  })
  await expect(examineWallet(wallet)).rejects.toThrow(WalletDeclined)
  expect(wallet.requests).toEqual([])
})
