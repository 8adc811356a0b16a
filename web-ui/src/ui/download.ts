export function download(name: string, content: Uint8Array | string): void {
  const part = typeof content === 'string' ? content : content.slice().buffer
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([part as BlobPart], { type: 'application/octet-stream' }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
