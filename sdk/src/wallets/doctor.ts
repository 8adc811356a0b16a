import { p2trScript } from '@ordbook/bitcoin/address.ts'
import { verifyMessage } from '@ordbook/bitcoin/bip322.ts'
import { bytesToHex } from '@ordbook/bitcoin/bytes.ts'
import { taggedHash, xOnlyKeyOf } from '@ordbook/bitcoin/keys.ts'
import { SIGHASH } from '@ordbook/bitcoin/sighash.ts'
import type { Coin, Layout, LayoutInput, LayoutOutput } from '@ordbook/bitcoin/trade/layout.ts'
import { buildPassthrough } from '@ordbook/bitcoin/trade/passthrough.ts'
import { SEQUENCE_RBF, type Tx, txidOf } from '@ordbook/bitcoin/transaction.ts'
import { WalletDeclined } from '../errors.ts'
import { escrowFormOf } from '../verify/listing.ts'
import { ordinalsSpendOf, paymentSpendOf } from '../verify/owner.ts'
import { type Expected, ownStep, type PlannedStep, takeSignatures } from '../verify/plan.ts'
import type { Wallet } from '../wallet.ts'
import { FLOWS, type Flow, KINDS, type Kind } from './flows.ts'

/** Result by kind of signature: null if valid, otherwise the reason. */
export type Diagnosis = Record<Kind, string | null>

/** Private key of a test market. */
const MARKET = taggedHash('ordbook/wallet-doctor', new TextEncoder().encode('market'))
const MESSAGE = 'A test of your wallet. This text signs in nowhere and moves no coins.'
const NO_WALLET_EXIT =
  'the wallet reports the output key of its ordinals address, so it cannot sign an exit from escrow'

/**
 * Tests a wallet with one message per address and one PSBT per kind of signature, in one request if possible. The PSBTs cannot be
 * broadcast. Throws WalletDeclined if the user declines, CheckFailed if a key does not match its address.
 */
export async function examineWallet(wallet: Wallet): Promise<Diagnosis> {
  const steps = stepsFor(wallet)
  const message = await reasonOf(() => checkMessages(wallet))
  const findings = (await signBatch(wallet, steps)) ?? (await signOneByOne(wallet, steps))
  findings.set('message', message)
  return Object.fromEntries(
    KINDS.map((kind) => [kind, findings.has(kind) ? findings.get(kind) : NO_WALLET_EXIT]),
  ) as Diagnosis
}

/** Returns why a wallet cannot do each flow, or null if it can. */
export const flowsBy = (diagnosis: Diagnosis): Record<Flow, string | null> =>
  Object.fromEntries(
    Object.entries(FLOWS).map(([flow, { needs }]) => [
      flow,
      needs.map((kind) => diagnosis[kind]).find((reason) => reason !== null) ?? null,
    ]),
  ) as Record<Flow, string | null>

async function checkMessages(wallet: Wallet): Promise<void> {
  const { ordinalsAddress, ordinalsScript, paymentAddress, paymentScript } = wallet
  const scripts = new Map([
    [ordinalsAddress, ordinalsScript],
    [paymentAddress, paymentScript],
  ])
  for (const [address, script] of scripts)
    if (!verifyMessage(script, MESSAGE, await wallet.signMessage(address, MESSAGE)))
      throw new Error(`the signature of a message by ${address} is not a valid BIP-322 signature`)
}

type Step = PlannedStep & { kind: Kind }
type Findings = Map<Kind, string | null>

/** Returns null if the wallet rejects the batch. */
async function signBatch(wallet: Wallet, steps: readonly Step[]): Promise<Findings | null> {
  if (!wallet.signPsbts) return null
  try {
    const answers = await wallet.signPsbts(steps)
    const findings: Findings = new Map()
    for (const [n, step] of steps.entries())
      findings.set(step.kind, await reasonOf(() => takeSignatures({ steps: [step] }, [answers[n] ?? ''])))
    return findings
  } catch (error) {
    if (error instanceof WalletDeclined) throw error
    return null
  }
}

async function signOneByOne(wallet: Wallet, steps: readonly Step[]): Promise<Findings> {
  const findings: Findings = new Map()
  for (const step of steps) {
    const reason = await reasonOf(async () =>
      takeSignatures({ steps: [step] }, [await wallet.signPsbt(step.psbtBase64, step.inputsToSign)]),
    )
    findings.set(step.kind, reason)
  }
  return findings
}

/** Returns null on success, otherwise the reason. Throws WalletDeclined. */
async function reasonOf(run: () => unknown): Promise<string | null> {
  try {
    await run()
    return null
  } catch (error) {
    if (error instanceof WalletDeclined) throw error
    return error instanceof Error && error.message ? error.message : 'the wallet returned no reason'
  }
}

const COIN_SATS = 100_000
/** A normal fee, to avoid warnings in wallets. */
const FEE_SATS = 1000

function stepsFor(wallet: Wallet): Step[] {
  const { ordinalsScript, paymentScript } = wallet
  const seller = ordinalsSpendOf(wallet)
  const escrow = buildPassthrough(seller, xOnlyKeyOf(MARKET), escrowFormOf(wallet))
  const strangerScript = p2trScript(xOnlyKeyOf(MARKET))
  const parent = impossibleTransaction([ordinalsScript, paymentScript, escrow.script, strangerScript])
  const coin = (vout: number): Coin => ({ txid: txidOf(parent), vout, ...parent.outputs[vout]! })
  const inscription = {
    role: 'inscription',
    coin: coin(0),
    signer: 'seller',
    spend: { by: 'key', ...seller },
  } as const
  const payment = {
    role: 'payment',
    coin: coin(1),
    signer: 'buyer',
    spend: { by: 'key', ...paymentSpendOf(wallet) },
  } as const
  const escrowed = {
    role: 'escrow',
    coin: coin(2),
    signer: 'seller',
    spend: { by: 'escrow', ...escrow },
  } as const
  const stranger = {
    role: 'anchor',
    coin: coin(3),
    signer: 'market',
    spend: {
      by: 'key',
      kind: 'p2tr',
      publicKey: strangerScript.slice(2),
      internalKey: null,
      redeemScript: null,
    },
  } as const
  const change: LayoutOutput = { role: 'change', valueSats: COIN_SATS - FEE_SATS, script: strangerScript }
  const home: LayoutOutput = { role: 'inscription', valueSats: COIN_SATS, script: ordinalsScript }
  const paid: LayoutOutput = { role: 'payout', valueSats: COIN_SATS - FEE_SATS, script: paymentScript }
  const layout = (inputs: LayoutInput[], outputs: LayoutOutput[], version: 2 | 3 = 2): Layout => ({
    version,
    inputs,
    outputs,
  })
  const previous = new Map([[txidOf(parent), parent]])
  const step = (kind: Kind, built: Layout, request: Pick<Expected, 'indexes' | 'sighash'>): Step => ({
    kind,
    ...ownStep(wallet, { name: `the test of a ${kind}`, layout: built, ...request }, previous),
  })
  return [
    step('transfer', layout([inscription, stranger], [home, change]), {
      indexes: [0],
      sighash: SIGHASH.DEFAULT,
    }),
    step('payment', layout([stranger, payment], [home, paid]), { indexes: [1] }),
    step('version-3', layout([inscription, stranger], [home, change], 3), { indexes: [0] }),
    step('sale', layout([escrowed], [paid]), { indexes: [0], sighash: SIGHASH.SINGLE_ANYONECANPAY }),
    step('counter', layout([escrowed], [home]), { indexes: [0], sighash: SIGHASH.ALL_ANYONECANPAY }),
    step('recovery', layout([escrowed, stranger], [home, change]), { indexes: [0], sighash: SIGHASH.ALL }),
    ...(escrow.exit
      ? [
          step(
            'exit',
            layout(
              [{ ...escrowed, spend: { by: 'exit', sellerKey: escrow.sellerKey, ...escrow.exit } }, payment],
              [home, paid],
            ),
            { indexes: [0, 1] },
          ),
        ]
      : []),
  ]
}

/** Returns a transaction that cannot exist: the txid of its input is not the hash of a transaction. */
function impossibleTransaction(scripts: readonly Uint8Array[]): Tx {
  const txid = bytesToHex(taggedHash('ordbook/wallet-doctor', ...scripts))
  return {
    version: 2,
    locktime: 0,
    inputs: [{ txid, vout: 0, sequence: SEQUENCE_RBF, scriptSig: new Uint8Array(), witness: [] }],
    outputs: scripts.map((script) => ({ valueSats: COIN_SATS, script })),
  }
}
