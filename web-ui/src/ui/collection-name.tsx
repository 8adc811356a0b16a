import { Verification } from './verified.tsx'

/** Name of a collection with its verification mark. */
export function CollectionName({
  of: { collectionName, verificationStatus, sameNameAs },
}: {
  of: {
    collectionName: string | null
    verificationStatus: 'verified' | 'unverified' | null
    /** Omitted if the API response does not include it. */
    sameNameAs?: { name: string } | null
  }
}) {
  if (collectionName === null) return null
  return (
    <>
      <span dir="auto" className="truncate">
        {collectionName}
      </span>
      {verificationStatus && <Verification of={verificationStatus} sameNameAs={sameNameAs ?? null} />}
    </>
  )
}
