import { expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from './bytes.ts'
import { taprootOutputKey } from './keys.ts'

/** From the BIP-341 test vectors. */
const KEY = '187791b6f712a8ea41c8ecdd0ee77fab3e85263b37e1ec18a3651926b3a6cf27'
const ROOT = '5b75adecf53548f3ec6ad7d78383bf84cc57b55a3127c72b9a2481752dd88b21'
const OUTPUT = '147c9c57132f6e7ecddba9800bb0c4449251c92a1e60371ee77557b6620f3ea3'

it('returns the output keys of BIP-341', () => {
  const of = () => taprootOutputKey(hexToBytes(KEY), hexToBytes(ROOT)).outputKey
  const first = of()
  expect(bytesToHex(first)).toBe(OUTPUT)
  first.fill(0)
  expect(bytesToHex(of())).toBe(OUTPUT)
  const bare = 'd6889cb081036e0faefa3a35157ad71086b123b2b144b649798b494c300a961d'
  expect(bytesToHex(taprootOutputKey(hexToBytes(bare)).outputKey)).toBe(
    '53a1f6e454df1aa2776a2814a721372d6258050de330b3c6d10ee8f4e0dda343',
  )
})
