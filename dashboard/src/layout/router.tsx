import { createBrowserRouter, type RouteObject } from "react-router";
import { SCREENS, type Screen } from "../routes.ts";
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
