import type { Answer } from '@ordbook/sdk/operations.ts'
import { Media } from '@ordbook/web-ui/ui/media/media.tsx'
import type { ReactNode } from 'react'

type Item = Answer<'browseItems'>['items'][number]

/** Image of an item, overlaid by `children`. The name next to it replaces the alternative text. */
export const ItemPicture = ({
  item,
  size = 384,
  children,
}: {
  item: Item
  size?: 96 | 384 | 1024
  children?: ReactNode
}) => (
  <Media
    id={item.inscriptionId}
    contentType={item.rawContentType}
    name=""
    hint={item.imageRenderingHint}
    background={item.cardBackgroundColor}
    size={size}
    placeholder={item.preview?.placeholder}
  >
    {children}
  </Media>
)
