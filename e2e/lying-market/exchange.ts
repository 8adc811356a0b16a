import { bytesToHex, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { decodePsbt, edited, idOf, type Psbt, type PsbtInput, previousIdOf } from './psbt.ts'

/** One honest answer of a market that a wallet is about to sign, or builds on when it signs, and the request that it answers. */
export interface Exchange {
  /** Method and path, ids of the path as `{}`. */
  operation: string
  request: unknown
  answer: unknown
}

/** A coin as the liar knows it. */
export interface LiarsCoin {
  txid: string
  vout: number
  valueSats: number
  script: Uint8Array
}

/** The liar: keys of its own, and its knowledge of the wallet. */
export interface Liar {
  /** X-only key and P2TR script of the liar. */
  key: Uint8Array
  script: Uint8Array
  address: string
  /** A coin of the liar's own. */
  coin: LiarsCoin
  victim: Victim
}

interface Victim {
  ordinals: { address: string; script: Uint8Array; publicKey: string }
  payment: { address: string; script: Uint8Array; publicKey: string }
  /** Coins of the wallet that it did not offer for this trade: of its payment address, and with inscriptions. */
  spareCoins: LiarsCoin[]
  spareInscriptions: (LiarsCoin & { inscriptionId: string })[]
}

/** One lie about one answer. */
export interface Lie {
  name: string
  family: Family
  /** The check that refuses it, by its reason, where one is named. */
  check?: RegExp
  /** Changes a copy of the honest answer; gives what to send instead, where that is no JSON value. */
  tell(answer: any): undefined | { raw: string }
}

type Family =
  | 'steps'
  | 'requests'
  | 'sighashes'
  | 'transaction'
  | 'coins'
  | 'fields'
  | 'entries'
  | 'escrow'
  | 'words'
  | 'shape'
  | 'reads'
  | 'payments'
  | 'along'
  | 'members'

/** A signing step as an answer holds it. */
export interface Step {
  stepIndex?: number
  signerAddress?: string
  inputsToSign: {
    address?: string
    signerAddress?: string
    publicKey?: string
    disableTweakSigner?: boolean
    signingIndexes: number[]
    sigHash?: number
  }[]
  psbtBase64: string
}

export type Path = readonly (string | number)[]
export const nameOf = (path: Path): string => path.join('.')

/** The value at a path of an answer. */
export const at = (answer: any, path: Path): any => path.reduce((value, key) => value?.[key], answer)

const isStep = (value: any): value is Step =>
  typeof value?.psbtBase64 === 'string' && Array.isArray(value.inputsToSign)

/** Every value of an answer with its path, the answer itself first. */
export function* valuesOf(value: unknown, path: Path = []): Generator<{ path: Path; value: unknown }> {
  yield { path, value }
  if (typeof value !== 'object' || value === null) return
  for (const [key, each] of Object.entries(value))
    yield* valuesOf(each, [...path, Array.isArray(value) ? Number(key) : key])
}

/** The signing steps of an answer, in its order. */
export const stepsOf = (answer: unknown): { path: Path; step: Step }[] =>
  [...valuesOf(answer)].flatMap(({ path, value }) => (isStep(value) ? [{ path, step: value }] : []))

/** The lists of an answer that hold steps, or things that hold steps. */
export const listsOf = (answer: unknown): { path: Path; list: unknown[] }[] =>
  [...valuesOf(answer)].flatMap(({ path, value }) =>
    Array.isArray(value) && value.length > 0 && stepsOf(value).length > 0 && !path.includes('inputsToSign')
      ? [{ path, list: value }]
      : [],
  )

/** The sighash that a step is due on an input: as it says, or the default, 0. */
export const dueOf = (step: Step, index: number): number =>
  step.inputsToSign.find((each) => each.signingIndexes.includes(index))?.sigHash ?? 0

/** The inputs that a step asks for, in order. */
export const askedOf = (step: Step): number[] => step.inputsToSign.flatMap((each) => each.signingIndexes)

export const isOwn = ({ victim }: Liar, script: Uint8Array | undefined): boolean =>
  script !== undefined &&
  (equalBytes(script, victim.ordinals.script) || equalBytes(script, victim.payment.script))

/** Whether an input spends what a leaf of two keys holds: an escrow. */
export const isEscrow = (input: PsbtInput): boolean => input.tapLeafScript !== undefined

/**
 * Changes the PSBT of a step. If the transaction has another id now, `everywhere` says so in the rest of the answer: in
 * the words beside it and in the steps that spend it.
 */
export function retold(answer: any, path: Path, everywhere: boolean, change: (psbt: Psbt) => void): void {
  const step: Step = at(answer, path)
  const before = idOf(step.psbtBase64)
  const old = decodePsbt(step.psbtBase64).global.unsignedTx
  step.psbtBase64 = edited(step.psbtBase64, change)
  if (everywhere) follow(answer, before, idOf(step.psbtBase64), step, old.outputs)
}

/** Says everywhere that what had one id has another. */
function follow(
  answer: any,
  before: string,
  after: string,
  changed: Step,
  outputsBefore: Psbt['global']['unsignedTx']['outputs'],
): void {
  if (before === after) return
  for (const { path, value } of [...valuesOf(answer)]) {
    if (value !== before || path.length === 0) continue
    at(answer, path.slice(0, -1))[path.at(-1)!] = after
  }
  const { outputs } = decodePsbt(changed.psbtBase64).global.unsignedTx
  for (const { step } of stepsOf(answer)) {
    if (step === changed) continue
    const psbt = decodePsbt(step.psbtBase64)
    const own = idOf(step.psbtBase64)
    const spends = psbt.global.unsignedTx.inputs.flatMap((input, i) =>
      bytesToHex(input.txid) === before ? [i] : [],
    )
    if (spends.length === 0) continue
    const before2 = psbt.global.unsignedTx.outputs
    step.psbtBase64 = edited(step.psbtBase64, ({ global, inputs }) => {
      for (const i of spends) {
        const input = global.unsignedTx.inputs[i]!
        input.txid = Uint8Array.from(Buffer.from(after, 'hex'))
        // The coin says what the output says now, where it said what the output said before.
        const was = outputsBefore[input.index]
        const is = outputs[input.index]
        const told = inputs[i]!.witnessUtxo
        if (was && is && told && told.amount === was.amount && equalBytes(told.script, was.script))
          inputs[i]!.witnessUtxo = { ...is }
        if (inputs[i]!.nonWitnessUtxo && previousIdOf(inputs[i]!.nonWitnessUtxo!) === before)
          inputs[i]!.nonWitnessUtxo = structuredClone(
            decodePsbt(changed.psbtBase64).global.unsignedTx,
          ) as never
      }
    })
    follow(answer, own, idOf(step.psbtBase64), step, before2)
  }
}
