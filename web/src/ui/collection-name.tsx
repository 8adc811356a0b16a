import { Verification } from './verified.tsx'

/** The collection of an item in a list, with the mark of its verification; nothing for an item of none. */
export function CollectionName({
  of: { collectionName, verificationStatus },
}: {
  of: { collectionName: string | null; verificationStatus: 'verified' | 'unverified' | null }
}) {
  if (collectionName === null) return null
  return (
    <>
      <span dir="auto" className="truncate">
        {collectionName}
      </span>
      {verificationStatus && <Verification of={verificationStatus} />}
    </>
  )
}
