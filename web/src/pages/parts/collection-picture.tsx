import { Media } from '@ordbook/web-ui/ui/media/media.tsx'

interface Previewed {
  previewInscriptionId: string | null
  previewContentType: string | null
  imageRenderingHint: 'auto' | 'pixelated' | null
  cardBackgroundColor: string | null
}

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
