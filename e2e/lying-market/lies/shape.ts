import { base64OfBytes, bytesOfBase64 } from '@ordbook/bitcoin/bytes.ts'
import { at, type Exchange, type Lie, listsOf, nameOf, type Path, stepsOf, valuesOf } from '../exchange.ts'
import { edited } from '../psbt.ts'

const HUGE = 40_000_000
/** Fields that a client may ignore. */
const OPTIONAL = new Set([
  'generation',
  'address',
  'publicKey',
  'signerAddress',
  'disableTweakSigner',
  'sigHash',
  'donationInitiative',
])

/** Responses that violate the API contract: wrong types, missing fields, invalid PSBTs or JSON, oversized lists and bodies. */
export function* liesAboutShape({ answer }: Exchange): Generator<Lie> {
  const lie = (name: string, tell: Lie['tell']): Lie => ({ name, family: 'shape', tell })
  yield lie('the response is null', () => ({ raw: 'null' }))
  yield lie('the response is an array', () => ({ raw: '[]' }))
  yield lie('the response is empty', () => ({ raw: '' }))
  yield lie('the response is not JSON', () => ({ raw: '<html>signed</html>' }))
  yield lie('the response is deeply nested', () => ({ raw: '['.repeat(200_000) }))
  yield lie('the response is huge', (told) => {
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
    yield psbt('is not base64', () => '*'.repeat(100))
    yield psbt('is not a PSBT', () => base64OfBytes(new Uint8Array(300).fill(7)))
    yield psbt('holds a truncated PSBT', (base64) => base64.slice(0, Math.floor(base64.length / 8) * 4))
    yield psbt('holds a PSBT with trailing bytes', (base64) =>
      base64OfBytes(Uint8Array.from([...bytesOfBase64(base64)!, 1, 2, 3])),
    )
    yield psbt('holds a PSBT of version 2', (base64) => {
      const bytes = bytesOfBase64(base64)!
      // Insert PSBT_GLOBAL_VERSION 2.
      return base64OfBytes(
        Uint8Array.from([...bytes.slice(0, 5), 0x01, 0xfb, 0x04, 2, 0, 0, 0, ...bytes.slice(5)]),
      )
    })
    yield psbt('holds a huge PSBT', (base64) =>
      edited(base64, ({ inputs }) => {
        inputs[0]!.unknown = [[{ type: 0xf0, key: Uint8Array.of(1) }, new Uint8Array(HUGE / 10)]]
      }),
    )
    yield lie(`${where} requests an input as a string`, (told) => {
      at(told, path).inputsToSign[0].signingIndexes = ['0']
      return undefined
    })
    yield lie(`${where} requests a negative input`, (told) => {
      at(told, path).inputsToSign[0].signingIndexes = [-1]
      return undefined
    })
    yield lie(`${where} requests a sighash as a string`, (told) => {
      at(told, path).inputsToSign[0].sigHash = '131'
      return undefined
    })
  }
  for (const { path, list } of listsOf(answer))
    yield lie(`${nameOf(path)} has a thousand entries`, (told) => {
      for (let i = list.length; i < 1000; i++) at(told, path).push(structuredClone(list[0]))
      return undefined
    })
  for (const { path, value } of valuesOf(answer)) {
    const key = path.at(-1)
    if (key === undefined || path.includes('inputsToSign') || path.includes('donationInitiative')) continue
    const put = (name: string, other: unknown) =>
      lie(`${nameOf(path)} ${name}`, (told) => void set(told, path, other))
    if (typeof value === 'number') {
      yield put('is a number as a string', String(value))
      yield put('is negative', -1)
      if (/Sats|Vout|Vsize|Index$/.test(String(key))) yield put('is a fraction', value + 0.5)
      if (/Sats$/.test(String(key))) yield put('exceeds the bitcoin supply', 2 ** 53)
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
