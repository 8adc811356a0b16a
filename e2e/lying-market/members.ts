import { at, type Path, valuesOf } from './exchange.ts'
import { edited } from './psbt.ts'

export interface Change {
  path: Path
  name: string
  /** Mutates a copy of the response. Returns `raw` to send invalid JSON instead. */
  apply(answer: any): undefined | { raw: string }
}

const set = (path: Path, name: string, value: unknown): Change => ({
  path,
  name: `${path.join('.')} ${name}`,
  apply: (answer) => {
    at(answer, path.slice(0, -1))[path.at(-1)!] = value
    return undefined
  },
})

function* changesOfPsbt(path: Path, psbtBase64: string, liarsScript: Uint8Array): Generator<Change> {
  const put = (name: string, change: Parameters<typeof edited>[1]) =>
    set(path, name, edited(psbtBase64, change))
  let sizes = { inputs: 0, outputs: 0 }
  edited(psbtBase64, ({ global: { unsignedTx } }) => {
    sizes = { inputs: unsignedTx.inputs.length, outputs: unsignedTx.outputs.length }
  })
  for (let i = 0; i < sizes.outputs; i++) {
    for (const more of [1n, -1n, 10_000n])
      yield put(`output ${i} pays ${more} more`, ({ global: { unsignedTx } }) => {
        unsignedTx.outputs[i]!.amount += more
      })
    yield put(`output ${i} pays the liar`, ({ global: { unsignedTx } }) => {
      unsignedTx.outputs[i]!.script = liarsScript
    })
  }
  for (let i = 0; i < sizes.inputs; i++) {
    yield put(`input ${i} is another output`, ({ global: { unsignedTx } }) => {
      unsignedTx.inputs[i]!.index += 1
    })
    for (const less of [1, 100, 1_000_000])
      yield put(`input ${i} has a sequence ${less} lower`, ({ global: { unsignedTx } }) => {
        unsignedTx.inputs[i]!.sequence! -= less
      })
    yield put(`the coin of input ${i} holds more`, ({ inputs }) => {
      if (inputs[i]!.witnessUtxo) inputs[i]!.witnessUtxo!.amount += 10_000n
    })
    yield put(`input ${i} has no previous transaction`, ({ inputs }) => {
      delete inputs[i]!.nonWitnessUtxo
    })
    yield put(`input ${i} is to be signed ANYONECANPAY`, ({ inputs }) => {
      inputs[i]!.sighashType = 0x81
    })
  }
  yield put('version is 1', ({ global: { unsignedTx } }) => {
    unsignedTx.version = 1
  })
  yield put('locktime is 500', ({ global: { unsignedTx } }) => {
    unsignedTx.lockTime = 500
  })
}

const HEX = /^[0-9a-f]{16,}(i\d+)?$/

/** Yields all changes to single fields of a response. `known`: other ids, addresses and coins of the flow, used as replacements. */
export function* changesOf(
  answer: unknown,
  known: readonly string[],
  liarsScript: Uint8Array,
): Generator<Change> {
  for (const { path, value } of valuesOf(answer)) {
    const key = path.at(-1)
    if (key === undefined) continue
    if (typeof key === 'string')
      yield {
        path,
        name: `${path.join('.')} is missing`,
        apply: (told) => {
          delete at(told, path.slice(0, -1))[key]
          return undefined
        },
      }
    if (value !== null) yield set(path, 'is null', null)
    yield set(path, 'is a list', [])
    yield set(path, 'is an object', { toString: 'x' })
    if (typeof value === 'number') {
      const numbers = [value + 1, value - 1, value * 2, value * 1000, value + 0.5, 0, -1, 2 ** 53, 1e300]
      for (const number of new Set(numbers)) if (number !== value) yield set(path, `is ${number}`, number)
      yield set(path, 'is in words', String(value))
    } else if (typeof value === 'string') {
      if (key === 'psbtBase64') yield* changesOfPsbt(path, value, liarsScript)
      yield set(path, 'is empty', '')
      yield set(path, 'is longer', `${value}0`)
      yield set(path, 'is a number', 7)
      yield set(path, 'is a megabyte', 'a'.repeat(1_000_000))
      if (HEX.test(value))
        yield set(path, 'is another', `${value.startsWith('0') ? '1' : '0'}${value.slice(1)}`)
      for (const other of known)
        if (other !== value && other.length === value.length)
          yield set(path, `is ${other.slice(0, 12)}…`, other)
    } else if (typeof value === 'boolean') yield set(path, 'is turned round', !value)
    else if (Array.isArray(value)) {
      if (value.length > 0) yield set(path, 'repeats its first', [value[0], ...value])
      if (value.length > 1) {
        yield set(path, 'is in another order', value.toReversed())
        yield set(path, 'lacks its first', value.slice(1))
      }
    } else if (value === null) {
      yield set(path, 'is 0', 0)
      yield set(path, 'is a text', 'x')
    }
  }
}

/** Returns the entry of the beliefs table for a path, or null. */
export function memberOf(path: Path, members: Readonly<Record<string, string>>): string | null {
  let name = ''
  for (const key of path) {
    name += typeof key === 'number' ? '[]' : name === '' ? key : `.${key}`
    if (Object.hasOwn(members, name)) return name
  }
  return null
}
