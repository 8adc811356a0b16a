/** Kinds of content by rendering method. `other` has no thumbnail. */
export const KINDS = ['raster', 'text', 'document', 'video', 'audio', 'model', 'other'] as const
export type Kind = (typeof KINDS)[number]

const BY_TYPE: Readonly<Record<string, Kind>> = {
  'image/svg+xml': 'document',
  'text/html': 'document',
  'application/xhtml+xml': 'document',
  'application/json': 'text',
  'application/javascript': 'text',
  'application/x-javascript': 'text',
  'application/yaml': 'text',
  'application/x-yaml': 'text',
  'model/gltf-binary': 'model',
  'model/gltf+json': 'model',
}

const BY_FAMILY: Readonly<Record<string, Kind>> = {
  image: 'raster',
  text: 'text',
  video: 'video',
  audio: 'audio',
}

export function kindOf(contentType: string | null): Kind {
  const type = essenceOf(contentType)
  return (Object.hasOwn(BY_TYPE, type) && BY_TYPE[type]) || familyOf(type)
}

function familyOf(type: string): Kind {
  const family = type.split('/')[0]!
  return Object.hasOwn(BY_FAMILY, family) ? BY_FAMILY[family]! : 'other'
}

/** Returns a media type in lower case, without parameters. */
export const essenceOf = (contentType: string | null) =>
  (contentType ?? '').split(';')[0]!.trim().toLowerCase()

/** Whether content can read its own URL. The same bytes may then render differently for each inscription. */
export const canReadItsUrl = (kind: Kind) => kind === 'document'
