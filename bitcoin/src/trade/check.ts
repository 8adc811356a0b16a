import { dustLimitOf } from '../address.ts'
import { equalBytes } from '../bytes.ts'
import { BitcoinError } from '../errors.ts'
import { landingOf, offsetOfInput } from '../sat-flow.ts'
import { sumSats } from '../sats.ts'
import { type Layout, positionsOf, prevoutsOf } from './layout.ts'

/**
 * Checks that each inscription's coin moves whole to an output of `ownerScript`, at offset 0 with the same value. Also checks the fee and
 * dust limits. Throws `inscription-misplaced`, `amounts-differ` or `output-below-dust`.
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
        `the sats of input ${index} do not arrive in one output of the owner`,
        {
          index,
        },
      )
  }
  const feeSats = sumSats(values) - sumSats(layout.outputs.map((output) => output.valueSats))
  if (feeSats !== expected.feeSats)
    throw new BitcoinError('amounts-differ', `the fee is ${feeSats} sats, expected ${expected.feeSats}`, {
      feeSats,
    })
  for (const [index, output] of layout.outputs.entries())
    if (output.valueSats < dustLimitOf(output.script))
      throw new BitcoinError('output-below-dust', `output ${index} is below the dust limit`, { index })
}

export function escrowInputsOf(layout: Layout): number[] {
  return positionsOf(layout.inputs, 'escrow')
}
