import { dustLimitOf } from '../address.ts'
import { equalBytes } from '../bytes.ts'
import { BitcoinError } from '../errors.ts'
import { landingOf, offsetOfInput } from '../sat-flow.ts'
import { sumSats } from '../sats.ts'
import { type Layout, positionsOf, prevoutsOf } from './layout.ts'

/**
 * Follows the sats through a settlement and checks the invariants of every layout: each inscription's whole coin goes to one inscription
 * output of the same value at offset 0, owned by `ownerScript`; outputs plus fee equal the inputs; no output is dust. It checks sats
 * instead of positions, so it works for any layout. Throws `inscription-misplaced`, `amounts-differ` or `output-below-dust`.
 */
export function checkSettlement(
  layout: Layout,
  expected: { inscriptionInputs: readonly number[]; ownerScript: Uint8Array; feeSats: number },
): void {
  const values = prevoutsOf(layout).map((output) => output.valueSats)
  for (const index of expected.inscriptionInputs) {
    const start = offsetOfInput(index, values)
    const first = landingOf(start, layout.outputs)
    const last = landingOf(start + values[index]! - 1, layout.outputs)
    const output = 'vout' in first ? layout.outputs[first.vout] : undefined
    if (
      !output ||
      !('vout' in first && 'vout' in last) ||
      first.offset !== 0 ||
      last.vout !== first.vout ||
      output.valueSats !== values[index] ||
      !equalBytes(output.script, expected.ownerScript)
    )
      throw new BitcoinError(
        'inscription-misplaced',
        `the sats of input ${index} do not land whole with the owner`,
        {
          index,
        },
      )
  }
  const feeSats = sumSats(values) - sumSats(layout.outputs.map((output) => output.valueSats))
  if (feeSats !== expected.feeSats)
    throw new BitcoinError('amounts-differ', `inputs less outputs are ${feeSats}, not ${expected.feeSats}`, {
      feeSats,
    })
  for (const [index, output] of layout.outputs.entries())
    if (output.valueSats < dustLimitOf(output.script))
      throw new BitcoinError('output-below-dust', `output ${index} is below the dust limit`, { index })
}

/** The inputs that carry inscriptions in a settlement: the escrow coins. */
export function escrowInputsOf(layout: Layout): number[] {
  return positionsOf(layout.inputs, 'escrow')
}
