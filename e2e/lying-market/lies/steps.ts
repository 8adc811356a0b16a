import {
  at,
  type Exchange,
  type Liar,
  type LiarsCoin,
  type Lie,
  listsOf,
  nameOf,
  type Path,
  type Step,
  stepsOf,
} from '../exchange.ts'
import { psbtOfTheft } from '../psbt.ts'

function theftOf(liar: Liar, coin: LiarsCoin, by: 'ordinals' | 'payment', like: Step): Step {
  const { address, publicKey } = liar.victim[by]
  return {
    ...structuredClone(like),
    signerAddress: address,
    inputsToSign: [{ address, publicKey, signingIndexes: [0] }],
    psbtBase64: psbtOfTheft([coin], { valueSats: Math.max(1, coin.valueSats - 1000), script: liar.script }),
  }
}

export function* liesAboutSteps({ request, answer }: Exchange, liar: Liar): Generator<Lie> {
  const lie = (name: string, tell: (answer: any) => void): Lie => ({
    name,
    family: 'steps',
    tell: (told) => void tell(told),
  })
  const spare = stealable(request, liar)
  for (const { path, list } of listsOf(answer)) {
    const where = nameOf(path)
    const change = (tell: (list: any[]) => void) => (told: any) => tell(at(told, path))
    yield lie(
      `${where} holds its first entry twice`,
      change((each) => void each.push(structuredClone(each[0]))),
    )
    yield lie(
      `${where} is empty`,
      change((each) => void each.splice(0)),
    )
    for (const i of list.keys())
      yield lie(
        `${where} lacks entry ${i}`,
        change((each) => void each.splice(i, 1)),
      )
    if (list.length > 1) {
      yield lie(
        `${where} is in another order`,
        change((each) => void each.reverse()),
      )
      yield lie(
        `${where} is in another order, its steps counted from 0 again`,
        change((each) => {
          each.reverse()
          for (const [i, step] of each.entries()) if (step.stepIndex !== undefined) step.stepIndex = i
        }),
      )
    }
    const like = list[0] as Step
    if (!like.psbtBase64) continue
    for (const [what, coin, by] of spare) {
      yield lie(
        `${where} holds one step more, which takes ${what}`,
        change((each) => {
          each.push({
            ...theftOf(liar, coin, by, like),
            ...(like.stepIndex === undefined ? {} : { stepIndex: each.length }),
          })
        }),
      )
      yield lie(
        `${where} begins with a step that takes ${what}`,
        change((each) => void each.unshift(theftOf(liar, coin, by, like))),
      )
    }
  }
  for (const { path, step } of stepsOf(answer)) {
    const where = nameOf(path)
    for (const [what, coin, by] of spare)
      yield lie(`${where} takes ${what} instead`, (told) =>
        put(told, path, { ...theftOf(liar, coin, by, step) }),
      )
    for (const other of stepsOf(answer))
      if (other.step !== step)
        yield lie(`${where} carries the transaction of ${nameOf(other.path)}`, (told) => {
          at(told, path).psbtBase64 = other.step.psbtBase64
        })
    if (step.stepIndex !== undefined)
      yield lie(`${where} has another step index`, (told) => {
        at(told, path).stepIndex = step.stepIndex! + 7
      })
  }
}

const put = (answer: any, path: Path, value: unknown) => {
  at(answer, path.slice(0, -1))[path.at(-1)!] = value
}

/** Returns coins worth stealing: one that the request offers, one that it does not, and one with an inscription. */
function stealable(request: any, { victim }: Liar): [string, LiarsCoin, 'ordinals' | 'payment'][] {
  const offered = request?.spendableUtxos?.[0]
  const [coin] = victim.spareCoins
  const [inscription] = victim.spareInscriptions
  return [
    ...(offered
      ? [
          [
            'a payment coin that was offered',
            { ...offered, script: victim.payment.script },
            'payment',
          ] as const,
        ]
      : []),
    ...(coin ? [['a payment coin that was not offered', coin, 'payment'] as const] : []),
    ...(inscription ? [['another inscription', inscription, 'ordinals'] as const] : []),
  ] as [string, LiarsCoin, 'ordinals' | 'payment'][]
}
