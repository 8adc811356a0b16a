import { hexToBytes } from '@ordbook/bitcoin/bytes.ts'
import {
  at,
  changePsbt,
  type Exchange,
  type Liar,
  type LiarsCoin,
  type Lie,
  nameOf,
  type Path,
  type Step,
  stepsOf,
  valuesOf,
} from '../exchange.ts'
import { bring, decodePsbt, type Psbt } from '../psbt.ts'

interface Named {
  txid: string
  vout: number
  valueSats: number
}
const toInput = ({ txid, vout, valueSats }: LiarsCoin): Named => ({ txid, vout, valueSats })

/** Expected errors. The PSBT parser may reject a lie before the selection is checked. */
const NOT_OFFERED =
  /a coin that you did not offer|a coin of yours that is not part|listed payment coins differ|did not create the coin/

/**
 * Lies about payment coins, in the selection, in the transaction or in both: coins with inscriptions, coins of the ordinals address, coins
 * that were not offered.
 */
export function* liesAboutPayments({ answer }: Exchange, liar: Liar): Generator<Lie> {
  for (const { path, value } of valuesOf(answer)) {
    if (path.at(-1) !== 'selectedPaymentUtxos' || !Array.isArray(value) || value.length === 0) continue
    const coins: Named[] = value
    const step = stepsOf(path.length === 1 ? answer : at(answer, path.slice(0, -1)))[0]
    if (!step) continue
    const stepPath = [...path.slice(0, -1), ...step.path]
    const lie = (name: string, check: RegExp, tell: (answer: any, coins: Named[]) => void): Lie => ({
      name: `${nameOf(path)} ${name}`,
      family: 'payments',
      check,
      tell: (told) => void tell(told, at(told, path)),
    })
    for (const [what, coin] of strangersOf(liar)) {
      yield lie(`also name ${what}`, NOT_OFFERED, (_, told) => void told.push(toInput(coin)))
      yield lie(`name ${what} in place of the first`, NOT_OFFERED, (_, told) => {
        told[0] = toInput(coin)
      })
      yield lie(`name ${what} with the value of the first`, NOT_OFFERED, (_, told) => {
        told[0] = { ...toInput(coin), valueSats: told[0]!.valueSats }
      })
      yield lie(`also name and spend ${what}`, NOT_OFFERED, (answer, told) => {
        told.push(toInput(coin))
        spendToo(answer, stepPath, coin)
      })
      yield lie(`name and spend ${what} in place of the first`, NOT_OFFERED, (answer, told) => {
        replace(answer, stepPath, told[0]!, coin)
        told[0] = toInput(coin)
      })
      const disguised = { ...coin, script: liar.victim.payment.script }
      yield lie(`name and spend ${what} as a coin of the payment address`, NOT_OFFERED, (answer, told) => {
        replace(answer, stepPath, told[0]!, disguised)
        told[0] = toInput(coin)
      })
    }
    yield lie(
      'name the first twice',
      /did not offer|listed payment coins differ/,
      (_, told) => void told.push(told[0]!),
    )
    yield lie(
      'name the first with another value, and so does the PSBT',
      /misstate|states a different coin|did not create the coin/,
      (answer, told) => {
        const [first] = told as [Named]
        changePsbt(answer, stepPath, true, (psbt) => {
          const input = inputOf(psbt, first)
          psbt.inputs[input]!.witnessUtxo!.amount += 5000n
        })
        first.valueSats += 5000
      },
    )
    yield lie('name another output of the same transaction', NOT_OFFERED, (answer, told) => {
      const [first] = told as [Named]
      const other = { ...first, vout: first.vout + 7, script: liar.victim.payment.script }
      replace(answer, stepPath, first, other)
      told[0] = toInput(other)
    })
    if (coins.length > 1)
      yield lie(
        'leave out a coin that is spent',
        /transaction|listed payment coins differ|more sats/,
        (_, told) => void told.pop(),
      )
  }
}

function strangersOf({ victim, coin }: Liar): [string, LiarsCoin][] {
  const [inscribed] = victim.spareInscriptions
  const [spare] = victim.spareCoins
  return [
    ...(inscribed ? [['a coin with another inscription', inscribed] as [string, LiarsCoin]] : []),
    ...(spare ? [['a coin that was not offered', spare] as [string, LiarsCoin]] : []),
    [
      'a coin of the ordinals address',
      { ...coin, vout: 2, valueSats: 3_000_000, script: victim.ordinals.script },
    ],
  ]
}

const inputOf = (psbt: Psbt, { txid, vout }: Named) =>
  psbt.global.unsignedTx.inputs.findIndex(
    (input) => Buffer.from(input.txid).toString('hex') === txid && input.index === vout,
  )

function replace(answer: any, path: Path, old: Named, coin: LiarsCoin): void {
  changePsbt(answer, path, true, (psbt) => {
    const i = inputOf(psbt, old)
    if (i < 0) return
    Object.assign(psbt.global.unsignedTx.inputs[i]!, { txid: hexToBytes(coin.txid), index: coin.vout })
    psbt.inputs[i] = { witnessUtxo: { amount: BigInt(coin.valueSats), script: coin.script } }
  })
}

function spendToo(answer: any, path: Path, coin: LiarsCoin): void {
  const { psbtBase64 }: Step = at(answer, path)
  const last = decodePsbt(psbtBase64).inputs.length
  changePsbt(answer, path, true, (psbt) => bring(psbt, coin))
  const changed: Step = at(answer, path)
  changed.inputsToSign.push({ ...structuredClone(changed.inputsToSign[0]!), signingIndexes: [last] })
}
