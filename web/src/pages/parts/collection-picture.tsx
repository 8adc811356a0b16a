import { Media } from '@ordbook/web-ui/ui/media/media.tsx'

interface Previewed {
  previewInscriptionId: string | null
  previewContentType: string | null
  imageRenderingHint: 'auto' | 'pixelated' | null
  cardBackgroundColor: string | null
}

/** Preview picture of a collection; an empty square if it has none. */
export function CollectionPicture({ of }: { of: Previewed }) {
  if (!of.previewInscriptionId) return <span className="block aspect-square bg-raised" />
  return (
    <Media
      id={of.previewInscriptionId}
      contentType={of.previewContentType}
      name=""
      hint={of.imageRenderingHint}
      background={of.cardBackgroundColor}
    />
  )
}
