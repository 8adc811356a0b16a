import { equalBytes, hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import {
  at,
  changePsbt,
  type Exchange,
  isEscrow,
  isOwn,
  type Liar,
  type LiarsCoin,
  type Lie,
  nameOf,
  type Step,
  signingIndexesOf,
  stepsOf,
  valuesOf,
} from '../exchange.ts'
import { bring, decodePsbt, idOf, type Psbt } from '../psbt.ts'

/** Cost fields that consistent lies adjust. */
const COSTS = ['totalBuyerCostSats', 'estimatedNetworkFeeSats']

/**
 * Changes the transaction. Most lies come in two variants: in the PSBT alone, or consistently in all txids and later steps. A market may
 * choose its own coins, its fees and the creators' addresses, so those lies only have the first variant.
 */
export function* liesAboutTransactions({ answer }: Exchange, liar: Liar): Generator<Lie> {
  for (const { path, step } of stepsOf(answer)) {
    const id = idOf(step.psbtBase64)
    const { global, inputs } = decodePsbt(step.psbtBase64)
    const tx = global.unsignedTx
    const isMentioned = [...valuesOf(answer)].some(({ value }) => value === id)
    const isSpent = (vout: number) =>
      stepsOf(answer).some(({ step: other }) =>
        decodePsbt(other.psbtBase64).global.unsignedTx.inputs.some(
          (input) => equalBytes(input.txid, hexToBytes(id)) && input.index === vout,
        ),
      )
    const anySpent = tx.outputs.some((_, vout) => isSpent(vout))
    /**
     * True if the rest of the response depends on this txid. Otherwise the client cannot detect changes to values that the market may
     * choose.
     */
    const isBound = isMentioned || anySpent
    function* both(name: string, change: (psbt: Psbt) => void, also?: (answer: any) => void): Generator<Lie> {
      yield {
        name: `${nameOf(path)} ${name}`,
        family: 'transaction',
        tell: (told) => void changePsbt(told, path, false, change),
      }
      if (isBound)
        yield {
          name: `${nameOf(path)} ${name}, consistently`,
          family: 'transaction',
          tell: (told) => {
            changePsbt(told, path, true, change)
            also?.(told)
            return undefined
          },
        }
    }
    function* alone(name: string, change: (psbt: Psbt) => void): Generator<Lie> {
      if (isBound)
        yield {
          name: `${nameOf(path)} ${name}`,
          family: 'transaction',
          tell: (told) => void changePsbt(told, path, false, change),
        }
    }

    for (const [vout, output] of tx.outputs.entries()) {
      const isOwnOutput = isOwn(liar, output.script)
      const critical = isOwnOutput || tx.outputs.length === 1 || isSpent(vout)
      const variants = critical ? both : alone
      yield* variants(`pays output ${vout} to the liar`, ({ global: { unsignedTx } }) => {
        unsignedTx.outputs[vout]!.script = liar.script
      })
      if (output.amount > 1000n) {
        const half = output.amount / 2n
        yield* variants(
          `halves output ${vout}`,
          ({ global: { unsignedTx } }) => {
            unsignedTx.outputs[vout]!.amount -= half
          },
          (told) => isOwnOutput && moveCosts(told, Number(half)),
        )
        yield* variants(
          `gives half of output ${vout} to the liar`,
          ({ global: { unsignedTx }, outputs }) => {
            unsignedTx.outputs[vout]!.amount -= half
            unsignedTx.outputs.push({ amount: half, script: liar.script })
            outputs.push({})
          },
          (told) => isOwnOutput && moveCosts(told, Number(half)),
        )
      }
      yield* alone(`pays more than the inputs in output ${vout}`, ({ global: { unsignedTx } }) => {
        unsignedTx.outputs[vout]!.amount = 2n ** 63n
      })
      yield* alone(`removes a sat from output ${vout}`, ({ global: { unsignedTx } }) => {
        unsignedTx.outputs[vout]!.amount -= 1n
      })
      if (isOwnOutput) {
        const { ordinals, payment } = liar.victim
        const other = equalBytes(output.script, ordinals.script) ? payment.script : ordinals.script
        if (!equalBytes(other, output.script))
          yield* both(`pays output ${vout} to the wallet's other address`, ({ global: { unsignedTx } }) => {
            unsignedTx.outputs[vout]!.script = other
          })
      }
      yield* (critical ? both : alone)(`lacks output ${vout}`, ({ global: { unsignedTx }, outputs }) => {
        unsignedTx.outputs.splice(vout, 1)
        outputs.splice(vout, 1)
      })
      const next = tx.outputs[vout + 1]
      if (next && (next.amount !== output.amount || !equalBytes(next.script, output.script)))
        yield* (critical || isOwn(liar, next.script) ? both : alone)(
          `swaps outputs ${vout} and ${vout + 1}`,
          ({ global: { unsignedTx } }) => swap(unsignedTx.outputs, vout),
        )
    }
    const more = { amount: 1000n, script: liar.script }
    yield* both('has one output more in front, to the liar', ({ global: { unsignedTx }, outputs }) => {
      unsignedTx.outputs.unshift({ ...more })
      outputs.unshift({})
    })
    yield* both('has one output more at the end, to the liar', ({ global: { unsignedTx }, outputs }) => {
      unsignedTx.outputs.push({ ...more })
      outputs.push({})
    })
    yield* both('has one output more, of data', ({ global: { unsignedTx }, outputs }) => {
      unsignedTx.outputs.push({ amount: 0n, script: Uint8Array.of(0x6a, 0x5d, 0x03, 0x16, 0x01, 0x02) })
      outputs.push({})
    })

    const requestedInputs = signingIndexesOf(step)
    const ownOrTraded = (i: number) =>
      isOwn(liar, inputs[i]!.witnessUtxo?.script) || isEscrow(inputs[i]!) || requestedInputs.includes(i)
    for (const [i, input] of tx.inputs.entries()) {
      const variants = ownOrTraded(i) ? both : alone
      yield* variants(`spends another output in input ${i}`, ({ global: { unsignedTx } }) => {
        unsignedTx.inputs[i]!.index += 1
      })
      yield* variants(`spends the liar's coin in input ${i}`, ({ global: { unsignedTx }, inputs: facts }) => {
        unsignedTx.inputs[i]!.txid = hexToBytes(liar.coin.txid)
        unsignedTx.inputs[i]!.index = liar.coin.vout
        facts[i]!.witnessUtxo = { amount: BigInt(liar.coin.valueSats), script: liar.coin.script }
      })
      for (const [sequence, why] of [
        [0xffffffff, 'that is final'],
        [0, 'of no block'],
        [0x00400001, 'that waits'],
        [input.sequence - 1, 'of another generation'],
        [input.sequence + 1, 'of an earlier generation'],
      ] as const)
        if (sequence !== input.sequence)
          // Only the seller knows the generation of a leg.
          yield* (isEscrow(inputs[i]!) && !requestedInputs.includes(i) ? alone : both)(
            `has a sequence ${why} in input ${i}`,
            ({ global: { unsignedTx } }) => {
              unsignedTx.inputs[i]!.sequence = sequence
            },
          )
      if (tx.inputs.length > 1)
        yield* variants(`lacks input ${i}`, ({ global: { unsignedTx }, inputs: facts }) => {
          unsignedTx.inputs.splice(i, 1)
          facts.splice(i, 1)
        })
      if (i + 1 < tx.inputs.length)
        yield* (ownOrTraded(i) || ownOrTraded(i + 1) ? both : alone)(
          `swaps inputs ${i} and ${i + 1}`,
          ({ global: { unsignedTx }, inputs: facts }) => {
            swap(unsignedTx.inputs, i)
            swap(facts, i)
          },
        )
    }
    for (const [what, coin] of foreignOf(liar)) {
      yield* both(`also spends ${what}, first`, (psbt) => bring(psbt, coin, 0))
      // Another input after the other side's coins does not affect the wallet.
      const variants = ownOrTraded(tx.inputs.length - 1) || what !== "the liar's coin" ? both : alone
      yield* variants(`also spends ${what}, last`, (psbt) => bring(psbt, coin))
      if (what !== "the liar's coin")
        yield {
          name: `${nameOf(path)} also spends ${what}, and requests its signature`,
          family: 'transaction',
          tell: (told) => {
            changePsbt(told, path, true, (psbt) => bring(psbt, coin))
            const changed: Step = at(told, path)
            changed.inputsToSign.push({ ...changed.inputsToSign[0]!, signingIndexes: [tx.inputs.length] })
            return undefined
          },
        }
    }
    for (const version of [1, 2, 3].filter((each) => each !== tx.version))
      yield* both(`is of version ${version}`, ({ global: { unsignedTx } }) => {
        unsignedTx.version = version
      })
    for (const lockTime of [1, 1_900_000_000])
      yield* both(`is locked until ${lockTime}`, ({ global: { unsignedTx } }) => {
        unsignedTx.lockTime = lockTime
      })
  }
}

function swap(list: unknown[], i: number): void {
  ;[list[i], list[i + 1]] = [list[i + 1], list[i]]
}

function moveCosts(answer: any, sats: number): void {
  for (const key of COSTS) if (typeof answer[key] === 'number') answer[key] += sats
}

const foreignOf = (liar: Liar): [string, LiarsCoin][] => [
  ["the liar's coin", liar.coin],
  ...liar.victim.spareCoins
    .slice(0, 1)
    .map((coin): [string, LiarsCoin] => ['a coin that was not offered', coin]),
  ...liar.victim.spareInscriptions
    .slice(0, 1)
    .map((coin): [string, LiarsCoin] => ['another inscription', coin]),
]
