import { Type } from 'typebox'
import { OneOf } from './choices.ts'
import { InscriptionId, Text } from './scalars.ts'

const Carried = Type.Object(
  {
    inscriptionId: InscriptionId,
    kind: OneOf('rune', 'inscription', 'rare-sat', 'unproven'),
    name: Type.String({ minLength: 1, examples: ['HARBOUR•LAMP•TOKENS'] }),
    amount: Type.Optional(Text),
  },
  {
    title: 'Carried',
    description:
      'name: rune name with spacers, inscription id, or sat number. amount: rune amount, as a decimal. unproven, with the name runes: the coin may have runes, because the node cannot prove that it has none.',
  },
)

/** Other contents of the moved coins. */
export const carries = {
  carries: Type.Optional(
    Type.Array(Carried, {
      description:
        "Other contents of the inscriptions' coins. Show them before anyone signs. Runes go to the first output of the settlement, which is the buyer's. Other inscriptions, also on the same sat, are from the market's index. A market without an ord server lists inscriptions, and unproven coins if it keeps coins with runes out of payments. It omits the field if runes are not checked and there are no inscriptions.",
    }),
  ),
}
