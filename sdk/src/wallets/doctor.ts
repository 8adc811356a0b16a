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

/** Result by kind of signature: null if the signature is valid, otherwise the reason. */
export type Diagnosis = Record<Kind, string | null>

/** The market of the test. Its keys are used for nothing else. */
const MARKET = taggedHash('ordbook/wallet-doctor', new TextEncoder().encode('market'))
const MESSAGE = 'A test of your wallet. This text signs in nowhere and moves no coins.'
const NOT_HERE =
  'the wallet shows the output key of its ordinals address: escrows of that form have no exit that a wallet signs'

/**
 * Has a wallet sign one message per address and one PSBT per kind of signature, and verifies each response as a trade would. The PSBTs can
 * never be broadcast: they spend outputs of a transaction that cannot exist. Uses one request for all PSBTs if the wallet supports it.
 * Throws WalletDeclined if the user declines, CheckFailed if a key does not belong to its address.
 */
export async function examineWallet(wallet: Wallet): Promise<Diagnosis> {
  const steps = stepsFor(wallet)
  const message = await reasonOf(() => signsMessages(wallet))
  const findings = (await atOnce(wallet, steps)) ?? (await oneByOne(wallet, steps))
  findings.set('message', message)
  return Object.fromEntries(
    KINDS.map((kind) => [kind, findings.has(kind) ? findings.get(kind) : NOT_HERE]),
  ) as Diagnosis
}

/** The reason why a wallet cannot do each flow, or null if it can. */
export const flowsBy = (diagnosis: Diagnosis): Record<Flow, string | null> =>
  Object.fromEntries(
    Object.entries(FLOWS).map(([flow, { needs }]) => [
      flow,
      needs.map((kind) => diagnosis[kind]).find((reason) => reason !== null) ?? null,
    ]),
  ) as Record<Flow, string | null>

async function signsMessages(wallet: Wallet): Promise<void> {
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

/** Null if the wallet rejects the whole request, so that each step must be requested separately. */
async function atOnce(wallet: Wallet, steps: readonly Step[]): Promise<Findings | null> {
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

async function oneByOne(wallet: Wallet, steps: readonly Step[]): Promise<Findings> {
  const findings: Findings = new Map()
  for (const step of steps) {
    const reason = await reasonOf(async () =>
      takeSignatures({ steps: [step] }, [await wallet.signPsbt(step.psbtBase64, step.inputsToSign)]),
    )
    findings.set(step.kind, reason)
  }
  return findings
}

/** Null if it succeeds, otherwise the reason. Throws WalletDeclined. */
async function reasonOf(run: () => unknown): Promise<string | null> {
  try {
    await run()
    return null
  } catch (error) {
    if (error instanceof WalletDeclined) throw error
    return error instanceof Error && error.message ? error.message : 'the wallet refused without a reason'
  }
}

const MADE_UP_SATS = 100_000
/** A usual fee, so that no wallet warns about it. */
const FEE_SATS = 1000

/** A PSBT for each kind of signature, in the form used by trades. */
function stepsFor(wallet: Wallet): Step[] {
  const { ordinalsScript, paymentScript } = wallet
  const seller = ordinalsSpendOf(wallet)
  const escrow = buildPassthrough(seller, xOnlyKeyOf(MARKET), escrowFormOf(wallet))
  const strangerScript = p2trScript(xOnlyKeyOf(MARKET))
  const made = madeUp([ordinalsScript, paymentScript, escrow.script, strangerScript])
  const coin = (vout: number): Coin => ({ txid: txidOf(made), vout, ...made.outputs[vout]! })
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
  const held = {
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
  const rest: LayoutOutput = { role: 'change', valueSats: MADE_UP_SATS - FEE_SATS, script: strangerScript }
  const home: LayoutOutput = { role: 'inscription', valueSats: MADE_UP_SATS, script: ordinalsScript }
  const paid: LayoutOutput = { role: 'payout', valueSats: MADE_UP_SATS - FEE_SATS, script: paymentScript }
  const layout = (inputs: LayoutInput[], outputs: LayoutOutput[], version: 2 | 3 = 2): Layout => ({
    version,
    inputs,
    outputs,
  })
  const previous = new Map([[txidOf(made), made]])
  const step = (kind: Kind, built: Layout, asked: Pick<Expected, 'indexes' | 'sighash'>): Step => ({
    kind,
    ...ownStep(wallet, { name: `the test of a ${kind}`, layout: built, ...asked }, previous),
  })
  return [
    step('transfer', layout([inscription, stranger], [home, rest]), {
      indexes: [0],
      sighash: SIGHASH.DEFAULT,
    }),
    step('payment', layout([stranger, payment], [home, paid]), { indexes: [1] }),
    step('version-3', layout([inscription, stranger], [home, rest], 3), { indexes: [0] }),
    step('sale', layout([held], [paid]), { indexes: [0], sighash: SIGHASH.SINGLE_ANYONECANPAY }),
    step('counter', layout([held], [home]), { indexes: [0], sighash: SIGHASH.ALL_ANYONECANPAY }),
    step('recovery', layout([held, stranger], [home, rest]), { indexes: [0], sighash: SIGHASH.ALL }),
    ...(escrow.exit
      ? [
          step(
            'exit',
            layout(
              [{ ...held, spend: { by: 'exit', sellerKey: escrow.sellerKey, ...escrow.exit } }, payment],
              [home, paid],
            ),
            { indexes: [0, 1] },
          ),
        ]
      : []),
  ]
}

/** A transaction that nothing can make: it spends an outpoint whose id is the hash of a text instead of a transaction. */
function madeUp(scripts: readonly Uint8Array[]): Tx {
  const txid = bytesToHex(taggedHash('ordbook/wallet-doctor', ...scripts))
  return {
    version: 2,
    locktime: 0,
    inputs: [{ txid, vout: 0, sequence: SEQUENCE_RBF, scriptSig: new Uint8Array(), witness: [] }],
    outputs: scripts.map((script) => ({ valueSats: MADE_UP_SATS, script })),
  }
}
