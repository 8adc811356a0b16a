import { bytesToHex, equalBytes } from '@ordbook/bitcoin/bytes.ts'
import { decodePsbt, edited, idOf, type Psbt, type PsbtInput, previousIdOf } from './psbt.ts'

/** A request, and the honest response on which a signature depends. */
export interface Exchange {
  /** Method and path, with `{}` for ids. */
  operation: string
  request: unknown
  answer: unknown
}

export interface LiarsCoin {
  txid: string
  vout: number
  valueSats: number
  script: Uint8Array
}

/** The attacker. Controls the market and knows the victim's addresses and coins. */
export interface Liar {
  key: Uint8Array
  script: Uint8Array
  address: string
  coin: LiarsCoin
  victim: Victim
}

interface Victim {
  ordinals: { address: string; script: Uint8Array; publicKey: string }
  payment: { address: string; script: Uint8Array; publicKey: string }
  /** Coins of the victim that are not part of the trade. */
  spareCoins: LiarsCoin[]
  spareInscriptions: (LiarsCoin & { inscriptionId: string })[]
}

export interface Lie {
  name: string
  family: Family
  /** Expected error, if a specific check must reject the lie. */
  check?: RegExp
  /** Mutates a copy of the honest response. Returns `raw` to send invalid JSON instead. */
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

export const at = (answer: any, path: Path): any => path.reduce((value, key) => value?.[key], answer)

const isStep = (value: any): value is Step =>
  typeof value?.psbtBase64 === 'string' && Array.isArray(value.inputsToSign)

/** Yields a response and all nested values with their paths. */
export function* valuesOf(value: unknown, path: Path = []): Generator<{ path: Path; value: unknown }> {
  yield { path, value }
  if (typeof value !== 'object' || value === null) return
  for (const [key, each] of Object.entries(value))
    yield* valuesOf(each, [...path, Array.isArray(value) ? Number(key) : key])
}

export const stepsOf = (answer: unknown): { path: Path; step: Step }[] =>
  [...valuesOf(answer)].flatMap(({ path, value }) => (isStep(value) ? [{ path, step: value }] : []))

export const listsOf = (answer: unknown): { path: Path; list: unknown[] }[] =>
  [...valuesOf(answer)].flatMap(({ path, value }) =>
    Array.isArray(value) && value.length > 0 && stepsOf(value).length > 0 && !path.includes('inputsToSign')
      ? [{ path, list: value }]
      : [],
  )

/** Returns the requested sighash type of an input. Default: 0. */
export const dueOf = (step: Step, index: number): number =>
  step.inputsToSign.find((each) => each.signingIndexes.includes(index))?.sigHash ?? 0

export const signingIndexesOf = (step: Step): number[] =>
  step.inputsToSign.flatMap((each) => each.signingIndexes)

export const isOwn = ({ victim }: Liar, script: Uint8Array | undefined): boolean =>
  script !== undefined &&
  (equalBytes(script, victim.ordinals.script) || equalBytes(script, victim.payment.script))

/** Returns true if an input has a tapleaf script and therefore spends an escrow. */
export const isEscrow = (input: PsbtInput): boolean => input.tapLeafScript !== undefined

/**
 * Changes the PSBT of a step. With `everywhere`, also updates the txid in the rest of the response and in steps that spend the transaction.
 */
export function changePsbt(answer: any, path: Path, everywhere: boolean, change: (psbt: Psbt) => void): void {
  const step: Step = at(answer, path)
  const before = idOf(step.psbtBase64)
  const old = decodePsbt(step.psbtBase64).global.unsignedTx
  step.psbtBase64 = edited(step.psbtBase64, change)
  if (everywhere) follow(answer, before, idOf(step.psbtBase64), step, old.outputs)
}

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
    const stepTxid = idOf(step.psbtBase64)
    const spends = psbt.global.unsignedTx.inputs.flatMap((input, i) =>
      bytesToHex(input.txid) === before ? [i] : [],
    )
    if (spends.length === 0) continue
    const before2 = psbt.global.unsignedTx.outputs
    step.psbtBase64 = edited(step.psbtBase64, ({ global, inputs }) => {
      for (const i of spends) {
        const input = global.unsignedTx.inputs[i]!
        input.txid = Uint8Array.from(Buffer.from(after, 'hex'))
        // Update the coin's amount and script unless an earlier lie changed them.
        const was = outputsBefore[input.index]
        const is = outputs[input.index]
        const witnessUtxo = inputs[i]!.witnessUtxo
        if (
          was &&
          is &&
          witnessUtxo &&
          witnessUtxo.amount === was.amount &&
          equalBytes(witnessUtxo.script, was.script)
        )
          inputs[i]!.witnessUtxo = { ...is }
        if (inputs[i]!.nonWitnessUtxo && previousIdOf(inputs[i]!.nonWitnessUtxo!) === before)
          inputs[i]!.nonWitnessUtxo = structuredClone(
            decodePsbt(changed.psbtBase64).global.unsignedTx,
          ) as never
      }
    })
    follow(answer, stepTxid, idOf(step.psbtBase64), step, before2)
  }
}
