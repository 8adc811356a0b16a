import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { NoThumbnail } from '../thumbnails.ts'
import type { OwnPages } from './requests.ts'

/** Path prefix of the modules; no content has it. */
const PLACE = '/preview-three/'
const PARTS = [
  'build/three.module.js',
  'build/three.core.js',
  'examples/jsm/loaders/GLTFLoader.js',
  'examples/jsm/utils/BufferGeometryUtils.js',
  'examples/jsm/utils/SkeletonUtils.js',
]

let parts: OwnPages | undefined

/** Returns the modules as local pages. Throws NoThumbnail if three is not installed. */
export function partsOfThree(): OwnPages {
  if (parts) return parts
  try {
    const root = join(dirname(createRequire(import.meta.url).resolve('three')), '..')
    parts = Object.fromEntries(
      PARTS.map((part) => [
        `${PLACE}${part}`,
        { type: 'text/javascript; charset=utf-8', body: readFileSync(join(root, part)) },
      ]),
    )
    return parts
  } catch {
    throw new NoThumbnail('3D models need the package three, which is not installed', { isFinal: true })
  }
}

const NAMES = { three: `${PLACE}build/three.module.js`, 'three/addons/': `${PLACE}examples/jsm/` }

/** Page of the model player. Draws a glTF model once, seen and lit from above its right shoulder. Fails immediately without WebGL. */
export const MODEL = `<script type="importmap">${JSON.stringify({ imports: NAMES })}</script>
<script type="module">
import * as THREE from 'three'
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js'
const drawer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true })
drawer.setPixelRatio(devicePixelRatio)
drawer.setSize(innerWidth, innerHeight)
document.body.append(drawer.domElement)
const bytes = await (await fetch(source)).arrayBuffer()
const { scene: body } = await new GLTFLoader().parseAsync(bytes, '/content/')
const { center, radius } = new THREE.Box3().setFromObject(body).getBoundingSphere(new THREE.Sphere())
if (!(radius > 0 && radius < 1e9)) throw new Error('the model is empty')
const scene = new THREE.Scene().add(body, new THREE.HemisphereLight('#ffffff', '#555560', 2))
scene.background = new THREE.Color('#15171c')
const light = new THREE.DirectionalLight('#ffffff', 2.5)
light.position.set(1, 2, 3)
scene.add(light)
const camera = new THREE.PerspectiveCamera(35, 1, radius / 100, radius * 100)
camera.position.copy(center).add(new THREE.Vector3(0.5, 0.45, 1).setLength(radius / Math.sin((17 * Math.PI) / 180)))
camera.lookAt(center)
drawer.render(scene, camera)
requestAnimationFrame(() => requestAnimationFrame(() => { window.outcome ??= 'done' }))
</script>`
