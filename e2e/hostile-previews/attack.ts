import type { Piece } from '../previews/support/collection.ts'

export interface Scene {
  /** URL of a server that must not be reached. */
  trap: string
  udpPort: number
  file: string
  /** Thumbnail key of an honest item. */
  honestKey: string
  honestId: string
}

export interface Attack {
  name: string
  /** Hostile content. A page turns red if it reaches a target. */
  piece(scene: Scene): Piece
  /** `fails`: rendering must fail. `ends`: rendering may succeed if the thumbnail is not red. */
  end: 'fails' | 'ends'
  /** True if the attack reaches the trap in an ordinary browser. */
  isTrapped?: boolean
}

/** A green page that turns red when it calls `reached`. */
export const page = (script: string, body = ''): string =>
  `<!doctype html><meta charset="utf-8"><body style="margin:0;background:#00ff00">${body}<script>
const reached = () => { document.body.style.background = '#ff0000' }
${script}</script>`

export const html = (body: string): Piece => ({ contentType: 'text/html;charset=utf-8', body })

export const scripted = (name: string, script: (scene: Scene) => string): Attack => ({
  name,
  end: 'ends',
  piece: (scene) => html(page(script(scene))),
})

export const marked = (name: string, body: (scene: Scene) => string): Attack => ({
  name,
  end: 'ends',
  piece: (scene) => html(page('', body(scene))),
})
