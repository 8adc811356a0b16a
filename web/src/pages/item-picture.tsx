import type { Answer } from '@ordbook/sdk/operations.ts'
import { Media } from '../ui/media.tsx'

type Item = Answer<'browseItems'>['items'][number]

/** The picture of a collection's item, beside its name. */
export const ItemPicture = ({ item }: { item: Item }) => (
  <Media
    id={item.inscriptionId}
    contentType={item.rawContentType}
    name=""
    hint={item.imageRenderingHint}
    background={item.cardBackgroundColor}
  />
)
