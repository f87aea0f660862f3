import { createBrowserRouter, type RouteObject } from "react-router";
import { SCREENS } from "../routes/routes.ts";
import type { Screen } from "../routes/screen.ts";
import { Failed, NotFound } from "./failed.tsx";
import { Gate } from "./gate.tsx";
import { ScreenFrame } from "./screen-frame.tsx";

const routeOf = (screen: Screen): RouteObject => ({
  path: screen.path,
  lazy: async () => {
    const { default: Component } = await screen.screen();
    return {
      element: (
        <ScreenFrame screen={screen}>
          <Component />
        </ScreenFrame>
      ),
    };
  },
  errorElement: <Failed />,
});

/** The table of routes below the layout, which is shown to who is signed in. */
export const createRouter = () =>
  createBrowserRouter([
    {
      element: <Gate />,
      errorElement: <Failed />,
      hydrateFallbackElement: <div />,
      children: [...SCREENS.map(routeOf), { path: "*", element: <NotFound /> }],
    },
  ]);
