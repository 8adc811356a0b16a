import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import {
  changePsbt,
  type Exchange,
  isEscrow,
  isOwn,
  type Liar,
  type Lie,
  nameOf,
  signingIndexesOf,
  stepsOf,
} from '../exchange.ts'
import { decodePsbt, type Psbt, type PsbtInput, previousIdOf } from '../psbt.ts'

/**
 * Lies about spent coins: values, scripts and previous transactions. A value matters only in the wallet's inputs and in inputs that precede
 * the trade's outputs.
 */
export function* liesAboutCoins({ answer }: Exchange, liar: Liar): Generator<Lie> {
  for (const { path, step } of stepsOf(answer)) {
    const { inputs } = decodePsbt(step.psbtBase64)
    const lie = (name: string, change: (psbt: Psbt) => void, everywhere = false): Lie => ({
      name: `${nameOf(path)} ${name}`,
      family: 'coins',
      tell: (told) => void changePsbt(told, path, everywhere, change),
    })
    const requestedInputs = signingIndexesOf(step)
    const traded = (input: PsbtInput, i: number) =>
      requestedInputs.includes(i) || isEscrow(input) || isOwn(liar, input.witnessUtxo?.script)
    const last = inputs.findLastIndex(traded)
    for (const [i, input] of inputs.entries()) {
      const { witnessUtxo, nonWitnessUtxo } = input
      if (!witnessUtxo || i > last) continue
      for (const [how, by] of [
        ['a sat more', 1n],
        ['a sat less', -1n],
        ['100,000 sats more', 100_000n],
      ] as const)
        yield lie(`says that input ${i} holds ${how}`, ({ inputs: [...facts] }) => {
          facts[i]!.witnessUtxo!.amount += by
        })
      yield lie(`says that input ${i} exceeds the bitcoin supply`, ({ inputs: facts }) => {
        facts[i]!.witnessUtxo!.amount = 2n ** 63n
      })
      yield lie(`says that the liar owns input ${i}`, ({ inputs: facts }) => {
        facts[i]!.witnessUtxo!.script = liar.script
      })
      if (!isOwn(liar, witnessUtxo.script))
        yield lie(`says that the wallet owns input ${i}`, ({ inputs: facts }) => {
          facts[i]!.witnessUtxo!.script = liar.victim.payment.script
        })
      yield lie(`omits the coin of input ${i}`, ({ inputs: facts }) => {
        delete facts[i]!.witnessUtxo
        delete facts[i]!.nonWitnessUtxo
      })
      if (input.redeemScript)
        yield lie(`has another redeem script in input ${i}`, ({ inputs: facts }) => {
          facts[i]!.redeemScript = Uint8Array.from(input.redeemScript!).fill(7, 2)
        })
      if (!nonWitnessUtxo) continue
      const { index } = decodePsbt(step.psbtBase64).global.unsignedTx.inputs[i]!
      yield lie(`misstates input ${i} and its previous transaction consistently`, ({ inputs: facts }) => {
        facts[i]!.witnessUtxo!.amount += 1000n
        facts[i]!.nonWitnessUtxo!.outputs[index]!.amount += 1000n
      })
      yield lie(
        `spends a previous transaction of the liar's in input ${i}, misstated alike`,
        (psbt) =>
          decoy(psbt, i, (tx) => {
            tx.outputs[index]!.amount += 1000n
            psbt.inputs[i]!.witnessUtxo!.amount += 1000n
          }),
        true,
      )
      if (isOwn(liar, witnessUtxo.script)) continue
      if (!requestedInputs.includes(i))
        yield lie(`omits the previous transaction of input ${i}`, ({ inputs: facts }) => {
          delete facts[i]!.nonWitnessUtxo
        })
      // The market may choose its coins if it proves their value.
      if (!isEscrow(input)) continue
      yield lie(
        `spends a transfer of the liar's own coin in input ${i}`,
        (psbt) =>
          decoy(psbt, i, (tx) => {
            tx.inputs[0]!.txid = hexToBytes(liar.coin.txid)
            tx.inputs[0]!.index = liar.coin.vout
          }),
        true,
      )
      yield lie(
        `spends a transfer in input ${i} that holds the inscription behind another coin`,
        (psbt) =>
          decoy(psbt, i, (tx) => {
            tx.inputs.unshift({ ...tx.inputs[0]!, txid: hexToBytes(liar.coin.txid), index: liar.coin.vout })
          }),
        true,
      )
      yield lie(
        `spends the second of two equal outputs in input ${i}`,
        (psbt) => {
          decoy(psbt, i, (tx) => void tx.outputs.push(structuredClone(tx.outputs[index]!)))
          psbt.global.unsignedTx.inputs[i]!.index = decodedOutputs(psbt, i) - 1
        },
        true,
      )
      yield lie(
        `spends a transfer in input ${i} whose first output takes the inscription`,
        (psbt) => {
          decoy(
            psbt,
            i,
            (tx) => void tx.outputs.unshift({ amount: tx.outputs[index]!.amount, script: liar.script }),
          )
          psbt.global.unsignedTx.inputs[i]!.index = index + 1
        },
        true,
      )
    }
  }
  yield* liesAboutReuse(answer, liar)
  yield* liesAboutSelection(answer)
}

function* liesAboutReuse(answer: any, liar: Liar): Generator<Lie> {
  const markets = stepsOf(answer).flatMap(({ path, step }) => {
    const { global, inputs } = decodePsbt(step.psbtBase64)
    return inputs.flatMap((input, i) =>
      !isEscrow(input) && !isOwn(liar, input.witnessUtxo?.script) && !signingIndexesOf(step).includes(i)
        ? [{ path, i, at: global.unsignedTx.inputs[i]!, input }]
        : [],
    )
  })
  for (const one of markets)
    for (const other of markets) {
      if (one.path === other.path) continue
      yield {
        name: `${nameOf(one.path)} spends in input ${one.i} the coin of input ${other.i} of ${nameOf(other.path)}`,
        family: 'coins',
        tell: (told) =>
          void changePsbt(told, one.path, true, ({ global, inputs }) => {
            const { txid, index } = other.at
            Object.assign(global.unsignedTx.inputs[one.i]!, { txid, index })
            inputs[one.i] = structuredClone(other.input)
          }),
      }
    }
}

const decodedOutputs = (psbt: Psbt, i: number) => psbt.inputs[i]!.nonWitnessUtxo!.outputs.length

/** Changes an input's previous transaction and updates the input to spend it. */
function decoy(psbt: Psbt, i: number, change: (tx: NonNullable<PsbtInput['nonWitnessUtxo']>) => void): void {
  const previous = psbt.inputs[i]!.nonWitnessUtxo!
  change(previous)
  delete previous.witnesses
  delete previous.segwitFlag
  psbt.global.unsignedTx.inputs[i]!.txid = hexToBytes(previousIdOf(previous))
}

function* liesAboutSelection(answer: any): Generator<Lie> {
  const lie = (name: string, tell: (coins: any[]) => void): Lie => ({
    name: `selectedPaymentUtxos ${name}`,
    family: 'coins',
    tell: (told) => void tell(told.selectedPaymentUtxos),
  })
  if (!Array.isArray(answer.selectedPaymentUtxos)) return
  yield lie('names another coin', ([coin]) => {
    coin.vout += 1
  })
  yield lie('names another value', ([coin]) => {
    coin.valueSats += 1000
  })
  yield lie('is empty', (coins) => void coins.splice(0))
}
