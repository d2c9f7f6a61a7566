// The page that draws one instruction at a time in Excalidraw, driven by draw.mjs.
import "@excalidraw/excalidraw/index.css";
import {
  CaptureUpdateAction, Excalidraw, convertToExcalidrawElements, exportToBlob, serializeAsJSON,
} from "@excalidraw/excalidraw";
import { createElement } from "react";
import { createRoot } from "react-dom/client";

const BACKGROUND = "background";
// Excalidraw writes in the page's address, the time and dice: the same spec must give the same scene.
const fixed = (scene) => ({
  ...scene,
  source: "https://excalidraw.com",
  elements: scene.elements.map((e) => ({ ...e, versionNonce: 1, updated: 1 })),
});
let api = null;

const initialData = { appState: { viewBackgroundColor: "#ffffff", theme: "light" } };
createRoot(document.getElementById("root")).render(
  createElement(Excalidraw, { initialData, excalidrawAPI: (given) => { api = given; } }),
);

// The picture as a locked element in its own pixels, so that scene coordinates are its pixels.
const background = (width, height) => ({
  type: "image", id: BACKGROUND, fileId: BACKGROUND, x: 0, y: 0, width, height,
  status: "saved", scale: [1, 1], crop: null, locked: true, strokeColor: "transparent",
  backgroundColor: "transparent", fillStyle: "solid", strokeWidth: 1, strokeStyle: "solid",
  roughness: 0, roundness: null, opacity: 100, angle: 0, seed: 1, version: 1, versionNonce: 1,
  index: null, isDeleted: false, groupIds: [], frameId: null, boundElements: null, updated: 1,
  link: null,
});

// A frame of the picture's size, made for the export only, fixes its bounds: no padding, scale 1.
const frame = (width, height) => ({
  ...background(width, height), type: "frame", id: "frame", fileId: undefined, name: null,
});

async function png(elements, files, width, height) {
  const blob = await exportToBlob({
    elements, files, mimeType: "image/png", exportPadding: 0,
    appState: { exportBackground: false, exportWithDarkMode: false, exportEmbedScene: false },
    exportingFrame: frame(width, height),
    getDimensions: () => ({ width, height, scale: 1 }),
  });
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (const b of bytes) text += String.fromCharCode(b);
  return btoa(text);
}

// elements: skeletons (tool) or whole freedraw elements (pen); picture: a data URL.
async function draw({ elements, picture, width, height }) {
  const drawn = convertToExcalidrawElements(elements, { regenerateIds: false });
  const files = {
    [BACKGROUND]: { id: BACKGROUND, mimeType: "image/png", dataURL: picture, created: 1 },
  };
  api.addFiles(Object.values(files));
  api.updateScene({
    elements: [background(width, height), ...drawn],
    captureUpdate: CaptureUpdateAction.NEVER,
  });
  await document.fonts.ready;
  const scene = api.getSceneElements();
  const marks = scene.filter((e) => e.id !== BACKGROUND);
  return {
    overlay: await png(marks, {}, width, height),
    scene: JSON.stringify(fixed(JSON.parse(
      serializeAsJSON(scene, { viewBackgroundColor: "#ffffff" }, {}, "local"),
    )), null, 2),
  };
}

window.redline = {
  ready: () => api !== null && !api.getAppState().isLoading,
  // Text is measured as it is made, and a font comes only when a drawing was made with it.
  draw: async (job) => {
    await draw(job);
    return draw(job);
  },
};
