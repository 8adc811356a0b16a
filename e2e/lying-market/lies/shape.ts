import { base64OfBytes, bytesOfBase64 } from '@ordbook/bitcoin/bytes.ts'
import { at, type Exchange, type Lie, listsOf, nameOf, type Path, stepsOf, valuesOf } from '../exchange.ts'
import { edited } from '../psbt.ts'

/** More than any answer of a market is long. */
const HUGE = 40_000_000
/** A client that does not know these members is none the worse for it. */
const OPTIONAL = new Set([
  'generation',
  'address',
  'publicKey',
  'signerAddress',
  'disableTweakSigner',
  'sigHash',
  'donationInitiative',
])

/** Answers that the interface does not allow: other types, missing members, lists too long, no PSBT, no JSON, no end. */
export function* liesAboutShape({ answer }: Exchange): Generator<Lie> {
  const lie = (name: string, tell: Lie['tell']): Lie => ({ name, family: 'shape', tell })
  yield lie('the answer is null', () => ({ raw: 'null' }))
  yield lie('the answer is a list', () => ({ raw: '[]' }))
  yield lie('the answer is empty', () => ({ raw: '' }))
  yield lie('the response is not JSON', () => ({ raw: '<html>signed</html>' }))
  yield lie('the answer is deep', () => ({ raw: '['.repeat(200_000) }))
  yield lie('the answer is huge', (told) => {
    told.note = 'x'.repeat(HUGE)
    return undefined
  })
  for (const { path } of stepsOf(answer)) {
    const where = nameOf(path)
    const psbt = (name: string, change: (base64: string) => string) =>
      lie(`${where} ${name}`, (told) => {
        const changed = at(told, path)
        changed.psbtBase64 = change(changed.psbtBase64)
        return undefined
      })
    yield psbt('holds an empty PSBT', () => '')
    yield psbt('holds no base64', () => '*'.repeat(100))
    yield psbt('holds no PSBT', () => base64OfBytes(new Uint8Array(300).fill(7)))
    yield psbt('holds half a PSBT', (base64) => base64.slice(0, Math.floor(base64.length / 8) * 4))
    yield psbt('holds a PSBT with a tail', (base64) =>
      base64OfBytes(Uint8Array.from([...bytesOfBase64(base64)!, 1, 2, 3])),
    )
    yield psbt('holds a PSBT of version 2', (base64) => {
      const bytes = bytesOfBase64(base64)!
      // A global PSBT_GLOBAL_VERSION of 2 before the first map's end.
      return base64OfBytes(
        Uint8Array.from([...bytes.slice(0, 5), 0x01, 0xfb, 0x04, 2, 0, 0, 0, ...bytes.slice(5)]),
      )
    })
    yield psbt('holds a huge PSBT', (base64) =>
      edited(base64, ({ inputs }) => {
        inputs[0]!.unknown = [[{ type: 0xf0, key: Uint8Array.of(1) }, new Uint8Array(HUGE / 10)]]
      }),
    )
    yield lie(`${where} asks for inputs in words`, (told) => {
      at(told, path).inputsToSign[0].signingIndexes = ['0']
      return undefined
    })
    yield lie(`${where} asks for a negative input`, (told) => {
      at(told, path).inputsToSign[0].signingIndexes = [-1]
      return undefined
    })
    yield lie(`${where} asks for a sighash in words`, (told) => {
      at(told, path).inputsToSign[0].sigHash = '131'
      return undefined
    })
  }
  for (const { path, list } of listsOf(answer))
    yield lie(`${nameOf(path)} goes on for a thousand entries`, (told) => {
      for (let i = list.length; i < 1000; i++) at(told, path).push(structuredClone(list[0]))
      return undefined
    })
  for (const { path, value } of valuesOf(answer)) {
    const key = path.at(-1)
    if (key === undefined || path.includes('inputsToSign') || path.includes('donationInitiative')) continue
    const put = (name: string, other: unknown) =>
      lie(`${nameOf(path)} ${name}`, (told) => void set(told, path, other))
    if (typeof value === 'number') {
      yield put('is a number in words', String(value))
      yield put('is negative', -1)
      if (/Sats|Vout|Vsize|Index$/.test(String(key))) yield put('is a fraction', value + 0.5)
      if (/Sats$/.test(String(key))) yield put('is more than there is', 2 ** 53)
    } else if (typeof value === 'string') yield put('is a number', 7)
    else if (value !== null) yield put('is null', null)
    if (typeof key === 'string' && !OPTIONAL.has(key))
      yield lie(`${nameOf(path)} is missing`, (told) => {
        delete at(told, path.slice(0, -1))[key]
        return undefined
      })
  }
}

function set(answer: any, path: Path, value: unknown): void {
  at(answer, path.slice(0, -1))[path.at(-1)!] = value
}
