import { Type } from 'typebox'
import { OneOf } from './choices.ts'
import { InscriptionId, Text } from './scalars.ts'

const Carried = Type.Object(
  {
    inscriptionId: InscriptionId,
    kind: OneOf('rune', 'inscription', 'rare-sat'),
    name: Text,
    amount: Type.Optional(Text),
  },
  {
    title: 'Carried',
    description:
      'name: a rune with its spacers, the id of an inscription, or the number of a sat. amount: of the rune, as a decimal.',
  },
)

/** A member of every preflight that moves inscriptions. */
export const carries = {
  carries: Type.Optional(
    Type.Array(Carried, {
      description:
        "Other contents of the coins of the inscriptions, to be shown before anyone signs. Runes go to the first output of the settlement, which is the buyer's. Inscriptions are named by the market's own index, also those on the same sat; a market without an ord server names nothing else, and leaves the member out where it knows of nothing.",
    }),
  ),
}
