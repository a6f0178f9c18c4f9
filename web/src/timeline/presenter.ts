// Stretches a raster to the screen: by WebGL where there is one, else by the 2-D canvas. Both show the
// same pixels; a view inside the raster's margins costs no new raster, only this.

import { css, type Rgb } from "./palette";
import type { Raster } from "./raster";
import type { View } from "./view";

export interface Presenter {
  readonly name: "WebGL" | "Canvas";
  /** A new picture; it is kept until the next. */
  upload(raster: Raster): void;
  /** `gap`: part of a row's height that is left free below it. */
  draw(view: View, gap: number, ground: Rgb): void;
  destroy(): void;
}

/** Where a view lies in a raster, in the raster's columns and rows. */
function windowOf(raster: Raster, view: View) {
  const x = (view.from - raster.from) / raster.ticksPerPixel;
  const width = (view.to - view.from) / raster.ticksPerPixel;
  const y = (view.top - raster.firstRank) / raster.stride;
  const height = (view.bottom - view.top) / raster.stride;
  return { x, y, width, height };
}

const VERTEX = `attribute vec2 corner; varying vec2 at;
void main() { at = vec2(corner.x, 1.0 - corner.y); gl_Position = vec4(2.0 * corner - 1.0, 0.0, 1.0); }`;
const FRAGMENT = `precision highp float; varying vec2 at;
uniform sampler2D picture; uniform vec4 window; uniform vec2 size; uniform vec3 ground; uniform float gap;
void main() {
  vec2 cell = window.xy + at * window.zw;
  vec2 middle = (floor(cell) + 0.5) / size;
  bool outside = cell.x < 0.0 || cell.y < 0.0 || cell.x >= size.x || cell.y >= size.y;
  if (outside || fract(cell.y) > 1.0 - gap) gl_FragColor = vec4(ground, 1.0);
  else gl_FragColor = texture2D(picture, middle);
}`;

class WebGlPresenter implements Presenter {
  readonly name = "WebGL";
  private raster: Raster | null = null;
  private readonly program: WebGLProgram;
  private readonly at: Record<"window" | "size" | "ground" | "gap", WebGLUniformLocation | null>;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly gl: WebGLRenderingContext,
  ) {
    this.program = this.link();
    gl.useProgram(this.program);
    const at = (name: string) => gl.getUniformLocation(this.program, name);
    this.at = { window: at("window"), size: at("size"), ground: at("ground"), gap: at("gap") };
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([0, 0, 1, 0, 0, 1, 1, 1]), gl.STATIC_DRAW);
    const corner = gl.getAttribLocation(this.program, "corner");
    gl.enableVertexAttribArray(corner);
    gl.vertexAttribPointer(corner, 2, gl.FLOAT, false, 0, 0);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) {
      gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
    }
    for (const way of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) {
      gl.texParameteri(gl.TEXTURE_2D, way, gl.NEAREST);
    }
  }

  private link(): WebGLProgram {
    const { gl } = this;
    const program = gl.createProgram();
    for (const [kind, code] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]] as const) {
      const shader = gl.createShader(kind);
      if (!shader) throw new Error("no shader");
      gl.shaderSource(shader, code);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error("the shaders do not link");
    return program;
  }

  upload(raster: Raster): void {
    const { gl } = this;
    this.raster = raster;
    const bytes = new Uint8Array(raster.pixels.buffer);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, raster.width, raster.height, 0, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
  }

  draw(view: View, gap: number, ground: Rgb): void {
    const { gl, raster, at, canvas } = this;
    if (!raster) return;
    const { x, y, width, height } = windowOf(raster, view);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.uniform4f(at.window, x, y, width, height);
    gl.uniform2f(at.size, raster.width, raster.height);
    gl.uniform3f(at.ground, ground[0] / 255, ground[1] / 255, ground[2] / 255);
    gl.uniform1f(at.gap, gap);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  destroy(): void {
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

class CanvasPresenter implements Presenter {
  readonly name = "Canvas";
  private raster: Raster | null = null;
  private readonly picture = document.createElement("canvas");

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly context: CanvasRenderingContext2D,
  ) {}

  upload(raster: Raster): void {
    this.raster = raster;
    this.picture.width = raster.width;
    this.picture.height = raster.height;
    const data = new Uint8ClampedArray(raster.pixels.buffer as ArrayBuffer);
    this.picture.getContext("2d")?.putImageData(new ImageData(data, raster.width, raster.height), 0, 0);
  }

  draw(view: View, gap: number, ground: Rgb): void {
    const { raster, canvas, context } = this;
    context.fillStyle = css(ground);
    context.fillRect(0, 0, canvas.width, canvas.height);
    if (!raster) return;
    const { x, y, width, height } = windowOf(raster, view);
    const across = canvas.width / width;
    const down = canvas.height / height;
    context.imageSmoothingEnabled = false;
    context.drawImage(this.picture, -x * across, -y * down, raster.width * across, raster.height * down);
    if (gap === 0) return;
    for (let row = Math.floor(y); row < y + height; ++row) {
      context.fillRect(0, (row + 1 - gap - y) * down, canvas.width, gap * down);
    }
  }

  destroy(): void {
    this.raster = null;
  }
}

const SOFTWARE = /SwiftShader|llvmpipe|softpipe|Software|Basic Render/i;

/** A WebGL without a graphics card is slower than the 2-D canvas. Not every browser tells. */
function isSoftware(gl: WebGLRenderingContext): boolean {
  const info = gl.getExtension("WEBGL_debug_renderer_info");
  const name: unknown = gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  return typeof name === "string" && SOFTWARE.test(name);
}

function byWebGl(canvas: HTMLCanvasElement): Presenter | null {
  const gl = canvas.getContext("webgl", { antialias: false, preserveDrawingBuffer: true });
  if (!gl || isSoftware(gl)) return null;
  try {
    return new WebGlPresenter(canvas, gl);
  } catch {
    return null;
  }
}

/**
 * Whatever draws fastest here, and the canvas it draws on: one that has given a context of one kind never
 * gives the other.
 */
export function presenterFor(canvas: HTMLCanvasElement): { presenter: Presenter; canvas: HTMLCanvasElement } {
  const presenter = byWebGl(canvas);
  if (presenter) return { presenter, canvas };
  const fresh = canvas.cloneNode() as HTMLCanvasElement;
  canvas.replaceWith(fresh);
  const context = fresh.getContext("2d");
  if (!context) throw new Error("this browser has no canvas");
  return { presenter: new CanvasPresenter(fresh, context), canvas: fresh };
}
