import { concatBytes } from '@ordbook/bitcoin/bytes.ts'
import { at, type Exchange, type Liar, type Lie, nameOf, stepsOf } from '../exchange.ts'
import { mapsOf, type PsbtMap, psbtOfMaps } from '../psbt.ts'

const JUNK = new Uint8Array(32).fill(5)
const derivation = new Uint8Array(4)

/**
 * Changes raw PSBT entries. Duplicates are dangerous because parsers disagree about which value they use. Other lies add entries that no
 * step needs.
 */
export function* liesAboutEntries({ answer }: Exchange, liar: Liar): Generator<Lie> {
  const point = concatBytes(Uint8Array.of(2), liar.key)
  const needless: Record<'global' | 'input' | 'output', [string, Uint8Array, Uint8Array][]> = {
    global: [
      ['an unknown entry', Uint8Array.of(0xf0), JUNK],
      ['a proprietary entry', Uint8Array.of(0xfc, 3, 1, 2, 3, 0), JUNK],
      ['a message to sign', Uint8Array.of(9), JUNK],
    ],
    input: [
      ['an unknown entry', Uint8Array.of(0xf0), JUNK],
      ['a proprietary entry', Uint8Array.of(0xfc, 3, 1, 2, 3, 0), JUNK],
      ["the liar's signature", concatBytes(Uint8Array.of(2), point), JUNK],
      ['a witness script', Uint8Array.of(5), Uint8Array.of(0x51)],
      ["a derivation of the liar's key", concatBytes(Uint8Array.of(6), point), derivation],
      ['a commitment', Uint8Array.of(9), JUNK],
      ['a preimage', concatBytes(Uint8Array.of(0x0b), JUNK), JUNK],
      ['a tweak of the key', concatBytes(Uint8Array.of(0x19), point), JUNK],
      ['another co-signer', concatBytes(Uint8Array.of(0x1a), point), point],
    ],
    output: [
      ['an unknown entry', Uint8Array.of(0xf0), JUNK],
      ["a derivation of the liar's key", concatBytes(Uint8Array.of(2), point), derivation],
      ['an internal key', Uint8Array.of(5), liar.key],
      ['a script', Uint8Array.of(0), Uint8Array.of(0x51)],
    ],
  }
  for (const { path, step } of stepsOf(answer)) {
    const { inputs, outputs, global } = mapsOf(step.psbtBase64)
    const lie = (name: string, change: (maps: ReturnType<typeof mapsOf>) => void): Lie => ({
      name: `${nameOf(path)} ${name}`,
      family: 'entries',
      tell: (told) => {
        const changed = at(told, path)
        const maps = mapsOf(changed.psbtBase64)
        change(maps)
        changed.psbtBase64 = psbtOfMaps(maps)
        return undefined
      },
    })
    function* liesAboutMap(
      what: string,
      kind: keyof typeof needless,
      map: PsbtMap,
      of: (maps: ReturnType<typeof mapsOf>) => PsbtMap,
    ): Generator<Lie> {
      for (const [name, key, value] of needless[kind])
        yield lie(`has ${name} in ${what}`, (maps) => void of(maps).push([key, value]))
      for (const [n, [key, value]] of map.entries()) {
        const other: PsbtMap[number] = [key, value.map((byte, i) => (i === 0 ? byte ^ 1 : byte))]
        const type = key[0]!.toString(16)
        yield lie(
          `repeats entry ${type} of ${what} with another value`,
          (maps) => void of(maps).splice(n + 1, 0, other),
        )
        yield lie(
          `repeats entry ${type} of ${what} with another value first`,
          (maps) => void of(maps).splice(n, 0, other),
        )
      }
    }
    yield* liesAboutMap('its global map', 'global', global, (maps) => maps.global)
    for (const [i, map] of inputs.entries())
      yield* liesAboutMap(`input ${i}`, 'input', map, (maps) => maps.inputs[i]!)
    for (const [i, map] of outputs.entries())
      yield* liesAboutMap(`output ${i}`, 'output', map, (maps) => maps.outputs[i]!)
    for (const [i] of inputs.entries())
      yield lie(`has an extra map after input ${i}`, ({ inputs: maps }) => void maps.splice(i + 1, 0, []))
  }
}
