import { addressOfScript } from '@ordbook/bitcoin/address.ts'
import { psbtOf, signaturesInSteps } from '@ordbook/bitcoin/psbt.ts'
import type { Layout } from '@ordbook/bitcoin/trade/layout.ts'
import type { Tx } from '@ordbook/bitcoin/transaction.ts'
import { invalid } from '@ordbook/db/process/errors.ts'
import type { Context } from '../context.ts'
import { toFaultInSteps } from './refuse.ts'

export interface Step {
  layout: Layout
  indexes: number[]
  /** Default: the wallet's. */
  sighash?: number
  signerScript: Uint8Array
  /** Hex key of the request, by which wallets recognize their inputs. Also set for a script path. */
  publicKey?: string
  /** Inputs signed by another address of the wallet. */
  others?: { indexes: number[]; signerScript: Uint8Array; publicKey?: string }
}

/** Returns the signing steps with PSBTs. `previous` are the previous transactions, by txid. */
export function describeSteps(
  { config }: Pick<Context, 'config'>,
  steps: readonly Step[],
  previous?: ReadonlyMap<string, Tx>,
) {
  return steps.map((step, stepIndex) => {
    const addressOf = (script: Uint8Array) => addressOfScript(script, config.addressNetwork)!
    const { others } = step
    const own = { ...step, indexes: step.indexes.filter((index) => !others?.indexes.includes(index)) }
    return {
      stepIndex,
      signerAddress: addressOf(step.signerScript),
      inputsToSign: [own, ...(others ? [others] : [])].flatMap(({ indexes, signerScript, publicKey }) =>
        byTweak(step.layout, indexes).map(([disableTweakSigner, signingIndexes]) => ({
          address: addressOf(signerScript),
          signerAddress: addressOf(signerScript),
          ...(publicKey === undefined ? {} : { publicKey }),
          signingIndexes,
          ...(step.sighash === undefined ? {} : { sigHash: step.sighash }),
          ...(disableTweakSigner === undefined ? {} : { disableTweakSigner }),
        })),
      ),
      psbtBase64: psbtOf(step.layout, requestOf(step), previous),
    }
  })
}

/** Groups inputs by `disableTweakSigner`. It is true if the untweaked key signs, and undefined for inputs that are not taproot. */
function byTweak(
  { inputs }: Layout,
  indexes: readonly number[],
): [disableTweakSigner: boolean | undefined, indexes: number[]][] {
  const groups = Map.groupBy(indexes, (index) => {
    const { spend } = inputs[index]!
    if (spend.by === 'key' && spend.kind !== 'p2tr') return undefined
    return spend.by === 'escrow' && spend.form === 'wallet'
  })
  return [...groups]
}

/** Returns each step's signatures in input order. Throws `invalid` unless all are valid. */
export async function signaturesOf(
  signed: readonly { stepIndex: number; psbtBase64: string }[],
  steps: readonly Pick<Step, 'layout' | 'indexes' | 'sighash'>[],
  field = 'signedSteps',
): Promise<Uint8Array[][]> {
  if (signed.length !== steps.length || signed.some(({ stepIndex }, i) => stepIndex !== i))
    throw invalid('entries-mismatched', `${field} must contain steps 0 to ${steps.length - 1}, in order.`)
  const signaturesByStep: Uint8Array[][] = []
  for (const [i, step] of steps.entries()) {
    const signatures = await toFaultInSteps(
      () => signaturesInSteps(signed[i]!.psbtBase64, step.layout, requestOf(step)),
      `${field}[${i}]`,
    )
    signaturesByStep.push([...signatures.values()])
  }
  return signaturesByStep
}

const requestOf = ({ indexes, sighash }: Pick<Step, 'indexes' | 'sighash'>) => ({
  indexes,
  ...(sighash === undefined ? {} : { sighash }),
})

/** Returns the previous transactions that wallets need to verify values: of segwit v0 coins, and of taproot coins near an inscription. */
export async function parentsOf(
  { node }: Pick<Context, 'node'>,
  layouts: readonly Layout[],
): Promise<Map<string, Tx>> {
  const previous = new Map<string, Tx>()
  for (const { inputs } of layouts)
    for (const { coin, spend, role } of inputs) {
      const isPlain = role !== 'inscription' && role !== 'pad'
      if (spend.by !== 'key' || (spend.kind === 'p2tr' && isPlain) || previous.has(coin.txid)) continue
      const tx = await node.transaction(coin.txid)
      if (tx) previous.set(coin.txid, tx)
    }
  return previous
}
